import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { disarm } from '../targeting/hit-target.ts';
import { waitForTarget, checkElement } from '../targeting/locate-element.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import { fieldFor } from '../injected/field-text.ts';
import { fromHandle } from '../pages/element-ref.ts';
import { assertFormat, assertSingleLine, enterValue, isValueField } from './field-value.ts';
import { isCaret, typeAtCaret, typeKeysAtCaret } from './text-caret.ts';
import { FIELD_EMPTIED, FIELD_GONE, TypedField } from './text-field.ts';
import { ASSERT_TIMEOUT_MS } from './wait.actions.ts';

/** Sets the text of a field in one input, like pasting. @throws as `enterText` */
export const fill: ActionHandler<'fill'> = (ctx, { target, text, append = false }) =>
  isCaret(target) ? typeAtCaret(ctx, text) : enterText(ctx, target, { text, append, keys: false });

/** Types key by key into a field, or at the caret if there is no target. @throws as `enterText`, `typeKeysAtCaret` */
export const type: ActionHandler<'type'> = (ctx, { target, text, append = false }) =>
  target === undefined || isCaret(target)
    ? typeKeysAtCaret(ctx, text)
    : enterText(ctx, target, { text, append, keys: true });

/**
 * Enters text into a field and reads it back. It never submits a form: a line break in a single-line field is
 * refused.
 * @param keys true to type key by key, false to insert the text at once
 * @throws PilothouseError TYPED_TEXT_DIFFERS if the field has another text after one repair, TARGET_NOT_ACTIONABLE if
 * it does not take the focus
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
    await enterValue(ctx, match, plaintext, { isSecret, append });
    return { located };
  }
  if (!keys) await assertFormat(ctx, match, plaintext);
  const appends = append && (keys || kind.editable === 'rich');
  const { tab } = ctx;
  try {
    const field = await TypedField.focus(ctx, match, appends ? 'end' : 'all');
    const fieldText = (append ? field.initialText : '') + plaintext;
    if (keys) {
      if (!append) await field.insert('');
      await field.typeKeys(plaintext);
    } else await field.insert(appends ? plaintext : fieldText);
    const expected = { text: fieldText, type: kind.type, keys };
    const effect = await field.verify(expected, isSecret);
    if (!effect || effect === FIELD_GONE || effect === FIELD_EMPTIED)
      ctx.entered.add(ctx, match, { kind: 'text', expected, initialText: field.initialText, isSecret });
    return { located, ...effect };
  } finally {
    await disarm(ctx, tab, 'Typing');
  }
}

/** Empties a field by selecting and deleting its text. */
export const clear: ActionHandler<'clear'> = async (ctx, { target }) => {
  const match = await locateField(ctx, target);
  const { tab } = ctx;
  let effect: ActionEffect | undefined;
  try {
    if (isValueField(match.kind.type)) await enterValue(ctx, match, '', { isSecret: false });
    else {
      const field = await TypedField.focus(ctx, match, 'all');
      await field.insert('');
      const [expected, isSecret] = [{ text: '', type: match.kind.type, keys: false }, match.kind.type === 'password'];
      effect = await field.verify(expected, isSecret);
      ctx.entered.add(ctx, match, { kind: 'text', expected, initialText: field.initialText, isSecret });
    }
  } finally {
    await disarm(ctx, tab, 'Typing');
  }
  return { located: match.located, ...effect };
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
