import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { limitDeadline, raceDeadline, poll } from '@pilothouse/core/time/deadlines';
import { evaluateOn, sendInput } from '../browser.input.ts';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import type { ActionContext } from '../action-context.ts';
import type { ElementRef } from '../pages/element-ref.ts';
import { disarm } from '../targeting/hit-target.ts';
import { checkElement } from '../targeting/locate-element.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { pasteText } from '../injected/field-text.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { focusedElement } from '../targeting/pointed-element.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';
import { assertSingleLine, enterValue, isValueField } from './field-value.ts';
import { TypedField } from './text-field.ts';

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

/** Lines of a text that the page has to show. */
const linesToVerify = (text: string): string[] => {
  const lines = text.split(/\r?\n/).map(tidy).filter(Boolean);
  return lines.length > MAX_LINES ? lines.slice(-1) : lines;
};

/** Watches the texts around the focus. */
class TextMonitor {
  readonly #ctx: ActionContext;
  readonly #ref: ElementRef;
  #previous: readonly string[] = [];

  constructor(ctx: ActionContext, ref: ElementRef) {
    this.#ctx = ctx;
    this.#ref = ref;
  }

  async start(): Promise<void> {
    this.#previous = await this.#read();
  }

  /** Waits for the lines of a text. @returns the first line that the page does not show; null if it shows all */
  async firstMissing(text: string, timeoutMs: number): Promise<string | null> {
    const lines = linesToVerify(text);
    let missing = lines;
    await poll(
      async () => {
        const current = await this.#read();
        missing = lines.filter((line) => countOccurrences(line, current) <= countOccurrences(line, this.#previous));
        return missing.length === 0 ? true : undefined;
      },
      limitDeadline(this.#ctx, timeoutMs),
    );
    return missing[0] ?? null;
  }

  #read(): Promise<string[]> {
    return evaluateOn(this.#ctx, this.#ref, textAround, undefined, 'Reading the text');
  }
}

/** @throws PilothouseError TARGET_NOT_FOUND if nothing has the focus */
async function locateFocus(ctx: ActionContext): Promise<LocatedTarget> {
  await ctx.waitUntilSettled();
  const focused = await raceDeadline(focusedElement(ctx.page), ctx, 'The focus');
  const located = { locator: 'focus', triedCount: 1 };
  const attempt = focused && (await checkElement(ctx, focused.ref, focused.frame, 'attached', located));
  if (attempt?.match) return attempt.match;
  throw new PilothouseError('TARGET_NOT_FOUND', 'No element has the focus; click the field or editor first');
}

/**
 * Inserts text at the caret and verifies that the page shows it.
 * @throws PilothouseError TARGET_NOT_FOUND if nothing has the focus, TYPED_TEXT_DIFFERS if the page does not show the
 * text
 */
export async function typeAtCaret(ctx: ActionContext, text: string): Promise<ActionOutcome> {
  const match = await locateFocus(ctx);
  const { ref, frame } = match;
  const plaintext = await ctx.reveal(text, frameOrigin(frame));
  if (plaintext !== text) await ctx.redactor.coverElement(ref, ctx);
  // The caret may be in a field that another step entered.
  ctx.entered.forget(frame.page());
  const monitor = new TextMonitor(ctx, ref);
  await monitor.start();
  const { tab } = ctx;
  try {
    const field = await TypedField.focus(ctx, match, 'unchanged');
    let isPasted = false;
    // An editor indents typed lines and leaves pasted lines unchanged.
    if (plaintext.includes('\n'))
      await sendInput(ctx, 'Typing', async () => void (isPasted = await frame.evaluate(pasteText, plaintext)));
    if (!isPasted) await sendInput(ctx, 'Typing', () => ctx.page.keyboard.insertText(plaintext));
    const missing = await monitor.firstMissing(plaintext, TEXT_TIMEOUT_MS);
    const { stoppedAt } = missing === null ? { stoppedAt: null } : await field.readRefusal();
    const reason = stoppedAt === null ? undefined : `the page moves the focus to ${stoppedAt}`;
    if (missing !== null) throw notShownError(missing, plaintext !== text, reason);
    return { located: FOCUS };
  } finally {
    await disarm(ctx, tab, 'Typing');
  }
}

const FOCUS = { locator: 'focus', triedCount: 1 };

/**
 * Presses the keys of a text at the caret. A field is read back, and a page has to show the text of other editors.
 * Keys on another element are `unverifiable`.
 * @throws PilothouseError as `typeAtCaret`; ACTION_UNSUPPORTED for a line break in a single-line field, or for a date
 * in another format
 */
export async function typeKeysAtCaret(ctx: ActionContext, text: string): Promise<ActionOutcome> {
  const match = await locateFocus(ctx);
  const { ref, frame, kind } = match;
  assertSingleLine(text, match);
  const plaintext = await ctx.reveal(text, frameOrigin(frame));
  assertSingleLine(plaintext, match);
  const isSecret = plaintext !== text || kind.type === 'password';
  if (isSecret) await ctx.redactor.coverElement(ref, ctx);
  ctx.entered.forget(frame.page());
  if (isValueField(kind.type)) {
    await enterValue(ctx, match, plaintext, { isSecret });
    return { located: FOCUS };
  }
  const monitor = new TextMonitor(ctx, ref);
  await monitor.start();
  const { tab } = ctx;
  try {
    const field = await TypedField.focus(ctx, match, 'unchanged');
    if (field.state.isEditor && plaintext.includes('\n')) await field.insert(plaintext);
    else await field.typeKeys(plaintext);
    const isNative = kind.editable === 'field' || kind.editable === 'lines';
    const effect =
      isNative && !field.state.isEditor
        ? await field.verifyAtCaret(plaintext, isSecret, async () => {
            return (await monitor.firstMissing(plaintext, TEXT_TIMEOUT_MS)) === null;
          })
        : await verifyShown(monitor, field, match, { plaintext, isSecret });
    return { located: FOCUS, ...effect };
  } finally {
    await disarm(ctx, tab, 'Typing');
  }
}

/** Maximum wait for an element without a text field to show typed text. */
const KEYS_TIMEOUT_MS = 300;

/** @returns an effect that is not certain @throws PilothouseError TYPED_TEXT_DIFFERS */
async function verifyShown(
  monitor: TextMonitor,
  field: TypedField,
  { kind }: LocatedTarget,
  { plaintext, isSecret }: { plaintext: string; isSecret: boolean },
): Promise<ActionEffect | undefined> {
  const isEditable = kind.editable !== null || field.state.isEditor;
  const missing = await monitor.firstMissing(plaintext, isEditable ? TEXT_TIMEOUT_MS : KEYS_TIMEOUT_MS);
  if (missing === null) return undefined;
  const { canceled, stoppedAt } = await field.readRefusal();
  if (stoppedAt !== null) throw notShownError(missing, isSecret, `the page moves the focus to ${stoppedAt}`);
  if (!isEditable) return { effect: 'unverifiable', effectReason: 'The focused element has no text that can be read' };
  throw notShownError(missing, isSecret, canceled > 0 ? 'the page refused some of its characters' : undefined);
}

const notShownError = (
  line: string,
  isSecret: boolean,
  reason = 'the page does not show it; click the text first, or press single keys',
) =>
  new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${isSecret ? 'The secret' : JSON.stringify(line.slice(0, 100))} was typed at the caret, but ${reason}`,
  );
