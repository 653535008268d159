import { isEphemeralLocator, type Target } from '@pilothouse/contract/actions/locator.schema';
import {
  MAX_COPIED_CHARS,
  MAX_INSPECTED_ELEMENTS,
  truncateElementName,
  type DropdownOptions,
  type PageQuery,
} from '@pilothouse/contract/control/control.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { MAX_LOCATORS } from '@pilothouse/core/control/recorded-actions';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { isPageSurface, type Surface } from '@pilothouse/core/ports/surface.port';
import type { InspectionResult } from '@pilothouse/infra-link';
import type { ActionScope } from '../actions/action-scope.ts';
import { readSurface } from '../actions/surface-reads.ts';
import { requireControl } from '../surface/surface-capabilities.ts';

/** Milliseconds for one inspection. */
const INSPECTION_TIMEOUT_MS = 5_000;

/** Inspects the page for the person in control. Returns an error instead of throwing. */
export async function inspectPage(
  query: Omit<PageQuery, 'id'>,
  scope: Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'timers' | 'log'>,
): Promise<InspectionResult['result']> {
  const deadline = scope.clock.monotonic() + INSPECTION_TIMEOUT_MS;
  try {
    return await readSurface(deadline, scope, (context) => inspect(query, scope.surface, context));
  } catch (thrown) {
    return { error: toPilothouseError(thrown).view() };
  }
}

async function inspect(
  query: Omit<PageQuery, 'id'>,
  surface: Surface,
  context: Context,
): Promise<InspectionResult['result']> {
  switch (query.kind) {
    case 'elements':
      return inspectViewport(query, surface, context);
    case 'dropdown':
      return { dropdown: isPageSurface(surface) ? await surface.readDropdown(context) : null };
    case 'selection':
      // Text beyond the limit is truncated before secrets are searched.
      return truncateInspection({ text: await requireControl(surface).readCopiedText(context) });
    default:
      return assertNever(query.kind);
  }
}

/** Describes the visible page, and the locators of the element at the pointer. */
async function inspectViewport(
  { element, point: position }: Omit<PageQuery, 'id'>,
  surface: Surface,
  context: Context,
) {
  const locator = { ...(element !== undefined && { elementIndex: element }), ...(position && { point: position }) };
  // Element numbers belong to the previous inspection; another one may renumber them.
  const description = isEphemeralLocator(locator)
    ? await requireControl(surface).describeElement(locator, context)
    : null;
  const observation = await surface.observe({}, context);
  return {
    url: observation.url,
    title: observation.title,
    elements: inspectedElements(observation),
    target: targetOf(description?.locators ?? []),
  };
}

/** Masks a text and truncates it afterwards, because a mask may be longer than the secret. */
export function truncateInspection(result: InspectionResult['result']): InspectionResult['result'] {
  if ('elements' in result)
    return {
      ...result,
      elements: result.elements.map((element) => ({ ...element, name: truncateElementName(element.name) })),
    };
  if ('dropdown' in result)
    return { dropdown: result.dropdown && { ...result.dropdown, options: optionsOf(result.dropdown) } };
  if ('text' in result) {
    const length = result.text?.length ?? 0;
    return length <= MAX_COPIED_CHARS ? result : { error: tooLongError(length).view() };
  }
  const { code, message, details } = result.error;
  return { error: new PilothouseError(code, message, { ...(details && { details }) }).view() };
}

const optionsOf = ({ options }: NonNullable<DropdownOptions['dropdown']>) =>
  options.map((option) => ({
    ...option,
    label: truncateElementName(option.label),
    group: option.group && truncateElementName(option.group),
  }));

const tooLongError = (length: number) =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `${length} characters were copied; at most ${MAX_COPIED_CHARS} can leave the page at once. Select less.`,
  );

const inspectedElements = ({ elements, viewport }: Observation) =>
  elements.slice(0, MAX_INSPECTED_ELEMENTS).map(({ index, role, name, length, fallbackName, interactive, bounds }) => ({
    element: index,
    role,
    // The dots signal the masker that a secret may be truncated there.
    name: length !== undefined ? `${name}…` : name === '' ? (fallbackName ?? '') : name,
    interactive,
    bounds: relativeBounds(bounds, viewport),
  }));

const relativeBounds = ({ x, y, width, height }: ElementView['bounds'], view: Observation['viewport']) => ({
  x: (x / view.width) * 1000,
  y: (y / view.height) * 1000,
  width: (width / view.width) * 1000,
  height: (height / view.height) * 1000,
});

const targetOf = (locators: readonly Exclude<Target, unknown[]>[]): Target | null => {
  const [locator] = locators;
  if (!locator) return null;
  return locators.length === 1 ? locator : locators.slice(0, MAX_LOCATORS);
};
