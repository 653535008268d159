import { toLocatorChain, PilothouseError, type Target } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, poll } from '@pilothouse/core';
import { evaluateOn, sendInput } from '../browser.input.ts';
import type { ActionContext } from '../action-context.ts';
import { pasteText } from '../injected/field-text.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { focusedElement } from '../targeting/pointed-element.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';

/* Typing where the caret is: code editors and drawings keep their field out of sight, and their text elsewhere. */

/** How long a page may take to show what was typed, in milliseconds. */
const SHOWING_MS = 1500;

/** Lines of a text up to which all are looked for: of a longer one an editor draws only a part, with the caret in it. */
const MAX_LINES = 10;

/** Whether a target is what has the focus. */
export const isCaret = (target: Target): boolean => toLocatorChain(target).every(({ focus }) => focus === true);

/** The text of the field with the focus, of the editor around it, and of the page. */
const textAround = elementFunction((element: Element): string[] => {
  const lines = (root: Element) =>
    [...root.querySelectorAll('.view-line, .cm-line, .CodeMirror-line, .ace_line')].map((one) => one.textContent ?? '');
  const own =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? [element.value]
      : element instanceof HTMLElement && element.isContentEditable
        ? [element.innerText]
        : [];
  const body = element.ownerDocument.body as HTMLElement | null;
  return [...own, ...lines(element.ownerDocument.documentElement), body?.innerText ?? ''];
});

const tidy = (text: string) =>
  text
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const times = (text: string, all: readonly string[]) =>
  all.reduce((sum, one) => sum + tidy(one).split(text).length - 1, 0);

/**
 * Types a text where the caret is, and looks whether the page shows it.
 * @throws PilothouseError TARGET_NOT_FOUND when nothing has the focus, TYPED_TEXT_DIFFERS when the page does not show the text
 */
export async function typeAtCaret(hand: ActionContext, text: string) {
  await hand.settled();
  const found = await raceDeadline(focusedElement(hand.page), hand, 'The focus');
  if (!found) {
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      'Nothing has the focus, so there is no caret; click into the field or editor first',
    );
  }
  const { one, frame } = found;
  const plain = await hand.reveal(text, frameOrigin(frame));
  if (plain !== text) await hand.veil.over(one, hand);
  const read = () => evaluateOn(hand, one, textAround, undefined, 'The look at the text');
  const before = await read();
  let isPasted = false;
  // An editor types lines with an indentation of its own, and pastes them as they are.
  if (plain.includes('\n'))
    await sendInput(hand, 'Typing', async () => void (isPasted = await frame.evaluate(pasteText, plain)));
  if (!isPasted) await sendInput(hand, 'Typing', () => hand.page.keyboard.insertText(plain));
  const all = plain.split(/\r?\n/).map(tidy).filter(Boolean);
  const lines = all.length > MAX_LINES ? all.slice(-1) : all;
  let missing = lines;
  await poll(
    async () => {
      const now = await read();
      missing = lines.filter((line) => times(line, now) <= times(line, before));
      return missing.length === 0 ? true : undefined;
    },
    limitDeadline(hand, SHOWING_MS),
  );
  const [first] = missing;
  if (first !== undefined) {
    const what = plain === text ? JSON.stringify(first.slice(0, 100)) : 'the secret';
    throw new PilothouseError(
      'TYPED_TEXT_DIFFERS',
      `${what} was typed where the caret is, but the page does not show it; click into the text first, or press key after key`,
    );
  }
  return { located: { locator: 'focus', triedCount: 1 } };
}
