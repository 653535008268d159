import {
  assertNever,
  isEphemeralLocator,
  MAX_COPIED_CHARS,
  MAX_INSPECTED_ELEMENTS,
  PilothouseError,
  truncateElementName,
  toPilothouseError,
  type ElementView,
  type Observation,
  type DropdownOptions,
  type PageQuery,
  type Target,
} from '@pilothouse/contract';
import { MAX_LOCATORS, type Context, type Surface } from '@pilothouse/core';
import type { InspectionResult } from '@pilothouse/infra-link';
import type { ActionScope } from '../actions/action-scope.ts';
import { readSurface } from '../actions/surface-reads.ts';

/** Milliseconds for one inspection. */
const LOOK_MS = 5_000;

/** Inspects the page for the person in control. Returns an error instead of throwing. */
export async function inspectPage(
  asked: Omit<PageQuery, 'id'>,
  act: Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'>,
): Promise<InspectionResult['result']> {
  const deadline = act.clock.monotonic() + LOOK_MS;
  try {
    return await readSurface(deadline, act, (context) => shown(asked, act.surface, context));
  } catch (thrown) {
    return { error: toPilothouseError(thrown).view() };
  }
}

async function shown(
  asked: Omit<PageQuery, 'id'>,
  surface: Surface,
  context: Context,
): Promise<InspectionResult['result']> {
  switch (asked.kind) {
    case 'elements':
      return inView(asked, surface, context);
    case 'dropdown':
      return { dropdown: await surface.readDropdown(context) };
    case 'selection':
      // Text beyond the limit is truncated before secrets are searched.
      return truncateInspection({ text: await surface.readCopiedText(context) });
    default:
      return assertNever(asked.kind);
  }
}

/** Describes the visible page, and the locators of the element at the pointer. */
async function inView({ element, point: at }: Omit<PageQuery, 'id'>, surface: Surface, context: Context) {
  const pointed = { ...(element !== undefined && { elementIndex: element }), ...(at && { point: at }) };
  // Element numbers belong to the previous inspection; another one may renumber them.
  const touched = isEphemeralLocator(pointed) ? await surface.describeElement(pointed, context) : null;
  const seen = await surface.observe({}, context);
  return { url: seen.url, title: seen.title, elements: elementsOf(seen), target: targetOf(touched?.locators ?? []) };
}

/** Masks a text and truncates it afterwards, because a mask may be longer than the secret. */
export function truncateInspection(seen: InspectionResult['result']): InspectionResult['result'] {
  if ('elements' in seen)
    return { ...seen, elements: seen.elements.map((one) => ({ ...one, name: truncateElementName(one.name) })) };
  if ('dropdown' in seen) return { dropdown: seen.dropdown && { ...seen.dropdown, options: optionsOf(seen.dropdown) } };
  if ('text' in seen) {
    const length = seen.text?.length ?? 0;
    return length <= MAX_COPIED_CHARS ? seen : { error: tooLong(length).view() };
  }
  const { code, message, details } = seen.error;
  return { error: new PilothouseError(code, message, { ...(details && { details }) }).view() };
}

const optionsOf = ({ options }: NonNullable<DropdownOptions['dropdown']>) =>
  options.map((one) => ({
    ...one,
    label: truncateElementName(one.label),
    group: one.group && truncateElementName(one.group),
  }));

const tooLong = (length: number) =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `${length} characters are copied; at most ${MAX_COPIED_CHARS} come out of the page at once: select less`,
  );

const elementsOf = ({ elements, viewport }: Observation) =>
  elements
    .slice(0, MAX_INSPECTED_ELEMENTS)
    .map(({ index, role, name, length, fallbackName: hint, interactive, bounds }) => ({
      element: index,
      role,
      // The dots signal the masker that a secret may be truncated there.
      name: length !== undefined ? `${name}…` : name === '' ? (hint ?? '') : name,
      interactive,
      bounds: placeOf(bounds, viewport),
    }));

const placeOf = ({ x, y, width, height }: ElementView['bounds'], view: Observation['viewport']) => ({
  x: (x / view.width) * 1000,
  y: (y / view.height) * 1000,
  width: (width / view.width) * 1000,
  height: (height / view.height) * 1000,
});

const targetOf = (ways: readonly Exclude<Target, unknown[]>[]): Target | null => {
  const [only] = ways;
  if (!only) return null;
  return ways.length === 1 ? only : ways.slice(0, MAX_LOCATORS);
};
