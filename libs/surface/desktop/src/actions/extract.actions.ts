import { isField, type Field } from '@pilothouse/contract/actions/extraction.schema';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { parseValue } from '@pilothouse/core/workflow/values/parse-value';
import type { DesktopActionContext, DesktopHandler } from '../action-context.ts';
import { optionsOf } from '../session/session-client.ts';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { incompleteCauses, TruncationLimit } from '../observation/incomplete-list.ts';
import { pollStep } from '../poll-step.ts';
import { ScreenSnapshot } from '../observation/screen-snapshot.ts';

/** Milliseconds after which an optional value is null, if a whole read does not have its element. */
const OPTIONAL_ABSENCE_MS = 2_000;

/** Milliseconds for reading the whole text of an element. */
const READ_TEXT_MS = 1_000;

/** Reads the text of one element, or of all that match. Applications have no attributes, tables or JSON. */
export const extract: DesktopHandler<'extract'> = async (context, { target, value, list, locale }) => {
  if (!target || (!value && !list)) throw unsupported('`json` and `table`');
  if (value) return extractValue(context, target, value, locale);
  if (!list || !isField(list)) throw unsupported('`list` with several fields');
  return extractList(context, target, list, locale);
};

async function extractValue(context: DesktopActionContext, target: Target, field: Field, locale: string | undefined) {
  const found = await context.screen.locateForReading(target, context, absenceMsOf(field));
  if (!found) return { located: null, value: null };
  const value = await fieldValue(context, found.element, field, locale, found.located.locator);
  return { located: found.located, value };
}

async function extractList(context: DesktopActionContext, target: Target, field: Field, locale: string | undefined) {
  const absentAt = context.timers.monotonic() + absenceMsOf(field);
  await context.screen.waitUntilStable(context);
  let incomplete: IncompleteReason | null = 'timeout';
  const truncation = new TruncationLimit(context);
  const matches = await pollStep(async () => {
    const snapshot = new ScreenSnapshot(context.screen, context, [target]);
    const found = await snapshot.findAll(target);
    // A list without its last entries would look whole.
    incomplete = snapshot.incomplete;
    const isAccepted = found.length > 0 || context.timers.monotonic() >= absentAt;
    if (truncation.isReached(isAccepted && incomplete === 'truncated')) return [];
    return isAccepted && incomplete === null ? found : undefined;
  }, context);
  if (incomplete !== null)
    throw new PilothouseError(
      incomplete === 'timeout' || incomplete === 'unresponsive' ? 'STEP_TIMED_OUT' : 'EXTRACTION_FAILED',
      `The list was not read whole: ${incompleteCauses[incomplete]}`,
    );
  if (!matches && !field.optional)
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      'No element of the list is visible; wait for one, or set `optional: true`',
    );
  const value: Json[] = [];
  for (const [index, { element }] of (matches ?? []).entries())
    value.push(await fieldValue(context, element, field, locale, `element ${index + 1} of the list`));
  return { located: null, value };
}

const absenceMsOf = ({ optional }: Field): number => (optional ? OPTIONAL_ABSENCE_MS : Infinity);

/** @throws PilothouseError EXTRACTION_FAILED; ACTION_UNSUPPORTED for a field of a page */
async function fieldValue(
  context: DesktopActionContext,
  element: DesktopElement | null,
  field: Field,
  locale: string | undefined,
  label: string,
): Promise<Json> {
  if (field.css !== undefined) throw unsupported('`css`');
  if (field.attribute !== undefined && field.optional !== true) throw unsupported('`attribute`');
  const text = field.attribute !== undefined || !element ? null : await textOf(context, element, label);
  const value = parseValue(text, { ...field, language: locale }, label);
  if (value !== null || field.optional) return value;
  throw new PilothouseError('EXTRACTION_FAILED', `${label}: no text of the type ${field.type ?? 'string'} was found`, {
    details: { field: label, text: text?.slice(0, 1_000) ?? null, type: field.type ?? 'string' },
  });
}

/** Characters of a value that the list of elements holds at least, unless the value is shorter. */
const MIN_LISTED_CHARACTERS = 500;

/** The value of a field or cell, else the name. The list holds only the beginning of a long one. */
async function textOf(context: DesktopActionContext, element: DesktopElement, label: string): Promise<string> {
  if (element.secret)
    throw new PilothouseError('EXTRACTION_FAILED', `${label}: the text of a password field is not read`);
  const { bus, path, value, page, name } = element.node;
  const isNameCut = value === undefined && element.length !== undefined;
  if (value === undefined && !(isNameCut && page)) return isNameCut ? name.trim() : element.name;
  const args = { bus, path, timeoutMs: READ_TEXT_MS };
  const text = await context.session.call('readText', args, optionsOf(context));
  if (text !== null) return text;
  if (isNameCut || (value ?? '').length >= MIN_LISTED_CHARACTERS)
    throw new PilothouseError('EXTRACTION_FAILED', `${label}: the whole text could not be read; extract parts of it`);
  return value ?? name;
}

const unsupported = (feature: string): PilothouseError =>
  new PilothouseError('ACTION_UNSUPPORTED', `On a desktop \`extract\` reads the text of its target; remove ${feature}`);
