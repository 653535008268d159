import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline, poll } from '@pilothouse/core/time/deadlines';
import { evaluateOn, sendInput } from '../browser.input.ts';
import type { ActionContext } from '../action-context.ts';
import { pasteText } from '../injected/field-text.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { focusedElement } from '../targeting/pointed-element.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';

// Types at the caret. Code editors and canvas editors hide their input field and render the text elsewhere.

/** Maximum wait for typed text to appear. */
const TEXT_TIMEOUT_MS = 1500;

/**
 * Up to this number of lines, all are verified. An editor renders a longer text only partly, with the caret in view.
 */
const MAX_LINES = 10;

/** True if the target is the focused element. */
export const isCaret = (target: Target): boolean => toLocatorChain(target).every(({ focus }) => focus === true);

/** Returns the text of the focused field, of the editor around it, and of the page. */
const textAround = elementFunction((element: Element): string[] => {
  const lines = (root: Element) =>
    [...root.querySelectorAll('.view-line, .cm-line, .CodeMirror-line, .ace_line')].map(
      (line) => line.textContent ?? '',
    );
  const fieldTexts =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? [element.value]
      : element instanceof HTMLElement && element.isContentEditable
        ? [element.innerText]
        : [];
  const body = element.ownerDocument.body as HTMLElement | null;
  return [...fieldTexts, ...lines(element.ownerDocument.documentElement), body?.innerText ?? ''];
});

const tidy = (text: string) =>
  text
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const countOccurrences = (text: string, texts: readonly string[]) =>
  texts.reduce((sum, part) => sum + tidy(part).split(text).length - 1, 0);

/**
 * Types text at the caret and verifies that the page shows it.
 * @throws PilothouseError TARGET_NOT_FOUND if nothing has the focus, TYPED_TEXT_DIFFERS if the page does not show the
 * text
 */
export async function typeAtCaret(ctx: ActionContext, text: string) {
  await ctx.waitUntilSettled();
  const focused = await raceDeadline(focusedElement(ctx.page), ctx, 'The focus');
  if (!focused) {
    throw new PilothouseError('TARGET_NOT_FOUND', 'No element has the focus; click the field or editor first');
  }
  const { ref, frame } = focused;
  const plaintext = await ctx.reveal(text, frameOrigin(frame));
  if (plaintext !== text) await ctx.redactor.coverElement(ref, ctx);
  const readTexts = () => evaluateOn(ctx, ref, textAround, undefined, 'Reading the text');
  const previousTexts = await readTexts();
  // The caret may be in a field that another step entered.
  ctx.entered.forget();
  let isPasted = false;
  // An editor indents typed lines and leaves pasted lines unchanged.
  if (plaintext.includes('\n'))
    await sendInput(ctx, 'Typing', async () => void (isPasted = await frame.evaluate(pasteText, plaintext)));
  if (!isPasted) await sendInput(ctx, 'Typing', () => ctx.page.keyboard.insertText(plaintext));
  const typedLines = plaintext.split(/\r?\n/).map(tidy).filter(Boolean);
  const lines = typedLines.length > MAX_LINES ? typedLines.slice(-1) : typedLines;
  let missing = lines;
  await poll(
    async () => {
      const current = await readTexts();
      missing = lines.filter((line) => countOccurrences(line, current) <= countOccurrences(line, previousTexts));
      return missing.length === 0 ? true : undefined;
    },
    limitDeadline(ctx, TEXT_TIMEOUT_MS),
  );
  const [firstMissing] = missing;
  if (firstMissing !== undefined) {
    const label = plaintext === text ? JSON.stringify(firstMissing.slice(0, 100)) : 'the secret';
    throw new PilothouseError(
      'TYPED_TEXT_DIFFERS',
      `${label} was typed at the caret, but the page does not show it; click the text first, or press single keys`,
    );
  }
  return { located: { locator: 'focus', triedCount: 1 } };
}
