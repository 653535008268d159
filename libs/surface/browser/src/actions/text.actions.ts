import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { evaluateOn, sendInput, playwrightTimeout } from '../browser.input.ts';
import { waitForTarget, checkElement } from '../targeting/locate-element.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import { fieldFor } from '../injected/field-text.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { fromHandle } from '../pages/element-ref.ts';
import { isCaret, typeAtCaret } from './text-caret.ts';
import { TypedField } from './text-field.ts';
import { ASSERT_TIMEOUT_MS } from './wait.actions.ts';

const readValue = elementFunction((element: Element) => (element instanceof HTMLInputElement ? element.value : ''));

/** Sets the text of a field in one input, like pasting. @throws as `enterText` */
export const fill: ActionHandler<'fill'> = (ctx, { target, text, append = false }) =>
  isCaret(target) ? typeAtCaret(ctx, text) : enterText(ctx, target, { text, append, keys: false });

/** Types key by key into a field, or at the caret if there is no target. @throws as `enterText`, `typeAtCaret` */
export const type: ActionHandler<'type'> = (ctx, { target, text, append = false }) =>
  target === undefined || isCaret(target)
    ? typeAtCaret(ctx, text)
    : enterText(ctx, target, { text, append, keys: true });

/**
 * Enters text into a field and reads it back. It never submits a form: a line break in a single-line field is
 * refused.
 * @param keys true to type key by key, false to insert the text at once
 * @throws PilothouseError TYPED_TEXT_DIFFERS if the field has another text after one repair
 */
async function enterText(
  ctx: ActionContext,
  target: Target,
  { text, append, keys }: { text: string; append: boolean; keys: boolean },
) {
  const match = await locateField(ctx, target);
  const { located, ref, kind } = match;
  assertSingleLine(text, match);
  const plaintext = await ctx.reveal(text, frameOrigin(match.frame));
  assertSingleLine(plaintext, match);
  const isSecret = plaintext !== text || kind.type === 'password';
  if (isSecret) await ctx.redactor.coverElement(ref, ctx);

  if (isValueField(kind.type)) {
    const currentValue = append ? await evaluateOn(ctx, ref, readValue, undefined, 'The field') : '';
    await enterValue(ctx, match, currentValue + plaintext, isSecret);
    const expected = { text: currentValue + plaintext, type: kind.type, keys };
    ctx.entered.add(ctx, match, { kind: 'text', expected, initialText: currentValue, isSecret });
    return { located };
  }
  if (!keys) await assertFormat(ctx, match, plaintext);
  const appends = append && (keys || kind.editable === 'rich');
  const field = await TypedField.focus(ctx, match, appends ? 'end' : 'all');
  const expected = (append ? field.initialText : '') + plaintext;
  if (keys) {
    if (!append) await field.insert('');
    await pressEach(ctx, plaintext);
  } else await field.insert(appends ? plaintext : expected);
  const expectedText = { text: expected, type: kind.type, keys };
  await field.verify(expectedText, isSecret);
  ctx.entered.add(ctx, match, { kind: 'text', expected: expectedText, initialText: field.initialText, isSecret });
  return { located };
}

/** Empties a field by selecting and deleting its text. */
export const clear: ActionHandler<'clear'> = async (ctx, { target }) => {
  const match = await locateField(ctx, target);
  if (isValueField(match.kind.type)) await enterValue(ctx, match, '', false);
  else {
    const field = await TypedField.focus(ctx, match, 'all');
    await field.insert('');
    const [expected, isSecret] = [{ text: '', type: match.kind.type, keys: false }, match.kind.type === 'password'];
    await field.verify(expected, isSecret);
    ctx.entered.add(ctx, match, { kind: 'text', expected, initialText: field.initialText, isSecret });
  }
  return { located: match.located };
};

/**
 * Locates the field of a target: the element itself, the control of a label, or the input of a code editor.
 * @throws as `waitForTarget`; PilothouseError ACTION_UNSUPPORTED for anything else
 */
async function locateField(ctx: ActionContext, target: Target): Promise<LocatedTarget> {
  const match = await waitForTarget(ctx, target, 'editable');
  const { kind, located, ref, frame } = match;
  if (kind.editable !== null) return match;
  const control = await raceDeadline(ref.related(fieldFor, undefined), ctx, located.locator);
  if (control) {
    const { match: field } = await checkElement(ctx, fromHandle(control), frame, 'visible', located);
    if (field) return { ...field, kind: { ...field.kind, editable: field.kind.editable ?? 'rich' } };
  }
  const summary = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${located.locator} is ${summary}, not a field to type into; name the field inside of it, or click it and use \`press\``,
  );
}

function assertSingleLine(text: string, { kind, located }: LocatedTarget): void {
  if (kind.editable !== 'field' || !/[\r\n]/.test(text)) return;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `The text has a line break but ${located.locator} has one line; remove it, and use a \`press\` step with Enter to send a form`,
  );
}

/** Formats that fields of these types accept. They silently drop other text. */
const valueFormats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  number: 'a number such as 3.5',
};

/** Returns the value that a field of this type has after it was set to a text; empty if it does not accept the text. */
const acceptedValue = elementFunction((element: Element, text: string) => {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  return probe.value;
});

/**
 * True for field types whose value is set, because it cannot be typed. Keys would fill the parts of a date in the order
 * of the browser's locale, which a workflow does not know.
 */
const isValueField = (type: string) =>
  type !== 'number' && (type in valueFormats || type === 'color' || type === 'range');

/** Sets the value of a field and reads it back. @throws PilothouseError ACTION_UNSUPPORTED with the accepted format */
async function enterValue(ctx: ActionContext, match: LocatedTarget, text: string, isSecret: boolean): Promise<void> {
  const value = await assertFormat(ctx, match, text);
  await setValue(ctx, match, text);
  await verifyValue(ctx, match, { text, value }, isSecret);
}

/** @returns the value of a field that was set to the text */
async function assertFormat(ctx: ActionContext, { ref, kind, located }: LocatedTarget, text: string): Promise<string> {
  const format = kind.tag === 'input' ? valueFormats[kind.type] : undefined;
  if (!format || text === '') return text;
  const value = await evaluateOn(ctx, ref, acceptedValue, text, 'The field');
  if (value !== '') return value;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${located.locator} is a field of type ${kind.type}; enter ${format}`,
  );
}

async function setValue(ctx: ActionContext, match: LocatedTarget, text: string): Promise<void> {
  try {
    await sendInput(ctx, 'Typing', () => match.ref.fill(text, { force: true, timeout: playwrightTimeout(ctx) }));
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    // Playwright's message may contain the text, which may be a secret. Neither message nor cause is passed on.
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${match.located.locator} did not take the text`);
  }
}

/** A range or color field takes its nearest value. A page may reset any field. */
async function verifyValue(
  ctx: ActionContext,
  { ref, kind, located }: LocatedTarget,
  { text, value }: { text: string; value: string },
  isSecret: boolean,
): Promise<void> {
  const current = await ref.evaluateAll(readValue, undefined).catch(() => null);
  ctx.signal.throwIfAborted();
  if (!current) return;
  const isEntered =
    kind.type === 'range'
      ? Number(current.value) === Number(text)
      : kind.type === 'color'
        ? current.value === text.toLowerCase()
        : current.value === value;
  if (isEntered) return;
  const summary = isSecret
    ? 'another value than the secret'
    : `${JSON.stringify(current.value)}, not ${JSON.stringify(text)}`;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${located.locator} holds ${summary}; use a value that a field of type ${kind.type} accepts`,
    { details: { locator: located.locator } },
  );
}

/** Checks the guard before each key, so that a cancelled run stops typing. */
async function pressEach(ctx: ActionContext, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    ctx.guard();
    await raceDeadline(ctx.page.keyboard.type(character), ctx, 'Typing');
  }
  ctx.inputSent();
}

/** Writes text to the clipboard of the run. */
export const writeClipboard: ActionHandler<'writeClipboard'> = async (ctx, { text }) => {
  await ctx.waitUntilSettled();
  ctx.clipboard.write(text);
  return NO_TARGET;
};

/**
 * Waits for a new clipboard text, because many buttons copy asynchronously. A text that was read before is not
 * returned again.
 * @throws PilothouseError EXTRACTION_FAILED if nothing was copied
 */
export const readClipboard: ActionHandler<'readClipboard'> = async (ctx) => {
  await ctx.waitUntilSettled();
  const text = await ctx.clipboard.waitForCopy(limitDeadline(ctx, ASSERT_TIMEOUT_MS));
  if (text !== null) return { located: null, value: text };
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `Nothing was copied since the last \`readClipboard\` step (waited ${ASSERT_TIMEOUT_MS / 1000} s); click a copy button or press ControlOrMeta+C in an earlier step`,
  );
};
