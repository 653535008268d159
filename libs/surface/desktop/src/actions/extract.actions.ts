import { isField, type Field } from '@pilothouse/contract/actions/extraction.schema';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { limitDeadline, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { parseValue } from '@pilothouse/core/workflow/values/parse-value';
import { optionsOf, type DesktopActionContext, type DesktopHandler } from '../action-context.ts';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { ScreenSnapshot } from '../observation/screen-snapshot.ts';

/** Milliseconds for an optional value. */
const OPTIONAL_FIELD_TIMEOUT_MS = 2_000;

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
  try {
    const found = await context.screen.locate(target, field.optional ? withinOptional(context) : context, true);
    const value = await fieldValue(context, found.element, field, locale, found.located.locator);
    return { located: found.located, value };
  } catch (error) {
    if (field.optional && error instanceof PilothouseError && error.code === 'TARGET_NOT_FOUND')
      return { located: null, value: null };
    throw error;
  }
}

async function extractList(context: DesktopActionContext, target: Target, field: Field, locale: string | undefined) {
  await context.screen.waitUntilStable(context);
  const limits = field.optional ? withinOptional(context) : context;
  const matches = await poll(async () => {
    const found = await new ScreenSnapshot(context.screen, context).findAll(target);
    return found.length > 0 ? found : undefined;
  }, limits);
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

const withinOptional = <Limits extends Deadline>(context: Limits): Limits => ({
  ...context,
  ...limitDeadline(context, OPTIONAL_FIELD_TIMEOUT_MS),
});

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
