import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline, poll } from '@pilothouse/core/time/deadlines';
import type { JSHandle } from 'playwright-core';
import { evaluateOn, sendInput } from '../browser.input.ts';
import type { ActionContext } from '../action-context.ts';
import {
  popStoredField,
  pasteText,
  readStoredField,
  readField,
  selectField,
  containsSubmittedText,
  storeField,
  type FieldText,
  type StoredField,
} from '../injected/field-text.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { wasSubmitted, isTyped, lengthLimitReason, type ExpectedText } from './typed-text.ts';

/** Maximum wait for typed text to appear. */
const TEXT_TIMEOUT_MS = 300;

/** Maximum length of a field text in an error message. */
const MAX_MESSAGE_CHARS = 100;

const newKey = () => `field-${randomUUID()}`;

/** Field that receives text. It stays the same element even if its locator depends on its text. */
export class TypedField {
  /** Text before input. */
  readonly initialText: string;
  readonly #ctx: ActionContext;
  readonly #match: LocatedTarget;
  readonly #isEditor: boolean;
  readonly #startedAt: number;
  /** Key under which the page stores the field until it is read. */
  readonly #key: string;
  readonly #isReplacement: boolean;
  /** Null if the document is gone. */
  #handle: Promise<JSHandle<StoredField | null> | null> | null = null;

  private constructor(
    ctx: ActionContext,
    match: LocatedTarget,
    { initialText, isEditor }: { initialText: string; isEditor: boolean },
    key: string,
    isRemade = false,
  ) {
    this.#isReplacement = isRemade;
    this.#ctx = ctx;
    this.#startedAt = ctx.timers.monotonic();
    this.#match = match;
    this.initialText = initialText;
    this.#isEditor = isEditor;
    this.#key = key;
  }

  /** Focuses the field, and selects its text or moves the caret to its end. */
  static async focus(ctx: ActionContext, match: LocatedTarget, selection: 'all' | 'end'): Promise<TypedField> {
    const key = newKey();
    const fieldState = await evaluateOn(ctx, match.ref, storeField, { key, selection }, 'The focus');
    const field = new TypedField(ctx, match, fieldState, key);
    if (fieldState.isEditor) await field.#pressChord(selection === 'all' ? 'ControlOrMeta+A' : 'ControlOrMeta+End');
    return field;
  }

  /** Replaces the selection. */
  async insert(text: string): Promise<void> {
    const { keyboard } = this.#ctx.page;
    if (this.#isEditor && text.includes('\n')) {
      let isPasted = false;
      const paste = async () => void (isPasted = await this.#match.frame.evaluate(pasteText, text));
      await sendInput(this.#ctx, 'Typing', paste);
      if (isPasted) return;
    }
    await sendInput(this.#ctx, 'Typing', () => (text === '' ? keyboard.press('Delete') : keyboard.insertText(text)));
  }

  /**
   * Reads the text back and repairs a different text once. A field that the page removes or empties after taking a
   * message is not read.
   * @throws PilothouseError TYPED_TEXT_DIFFERS
   */
  async verify(expected: ExpectedText, isSecret: boolean): Promise<void> {
    const first = await this.#nullIfDetached(
      this.#match.frame.evaluate(readStoredField, { key: this.#key, expected: expected.text }),
    );
    if (first === null || (first.connected && first.text === expected.text)) return;
    if (!first.connected) return this.#verifyReplacement(expected, isSecret);
    try {
      let current: FieldText | null = first;
      if (isTyped(current, expected)) return;
      current = await this.#waitForText(expected);
      if (current === null || isTyped(current, expected) || (await this.#wasSubmitted(current, expected, isSecret)))
        return;
      let reason = lengthLimitReason(current, expected);
      const isSubmitted = current.text === '' && this.#ctx.tab.network.hasRequestedSince(this.#startedAt);
      if (isSubmitted) reason ??= 'the page emptied it, and sent a request';
      if (reason === null) {
        const blank = await this.#replace(expected.text);
        current = await this.#waitForText({ ...expected, blank });
        if (current === null || isTyped(current, { ...expected, blank })) return;
      }
      throw textDiffersError(this.#match.located.locator, current, expected, reason, isSecret);
    } finally {
      void this.#storedField().then((handle) => handle?.dispose());
    }
  }

  /** Verifies the field that replaced this one. Without a replacement, the page took the text. */
  async #verifyReplacement(expected: ExpectedText, isSecret: boolean): Promise<void> {
    if (this.#isReplacement) return;
    const key = newKey();
    const fieldState = await this.#nullIfDetached(this.#match.ref.evaluateAll(storeField, { key, selection: 'all' }));
    if (fieldState)
      await new TypedField(this.#ctx, this.#match, fieldState.value, key, true).verify(expected, isSecret);
  }

  /** Empties the field and inserts the text. @returns the text of the empty field */
  async #replace(text: string): Promise<string> {
    await this.#select();
    if (text === '' || !this.#isEditor) await this.insert('');
    const blank = (await this.#readText())?.text ?? '';
    await this.#select();
    if (text !== '') await this.insert(text);
    return blank;
  }

  async #select(): Promise<void> {
    await this.#withField((handle) => handle.evaluate(selectField, undefined));
    if (this.#isEditor) await this.#pressChord('ControlOrMeta+A');
  }

  #pressChord(key: string): Promise<void> {
    return sendInput(this.#ctx, 'Typing', () => this.#ctx.page.keyboard.press(key));
  }

  /** Returns the field once it has the expected text, else its last state; null if the field is gone. */
  async #waitForText(expected: ExpectedText): Promise<FieldText | null> {
    let last: FieldText | null = null;
    const lastRead = await poll(
      async () => {
        last = await this.#readText();
        return last === null || isTyped(last, expected) ? { current: last } : undefined;
      },
      limitDeadline(this.#ctx, TEXT_TIMEOUT_MS),
    );
    return lastRead ? lastRead.current : last;
  }

  /** @returns null if the page removed the field */
  async #readText(): Promise<FieldText | null> {
    const current = await this.#withField((handle) => handle.evaluate(readField, undefined));
    return current?.connected ? current : null;
  }

  async #wasSubmitted(current: FieldText, expected: ExpectedText, isSecret: boolean): Promise<boolean> {
    if (wasSubmitted(current, expected)) return true;
    if (current.text.trim() !== '' || isSecret) return false;
    const text = expected.text.replace(/[\s,;]+$/, '');
    return (await this.#withField((handle) => handle.evaluate(containsSubmittedText, text))) === true;
  }

  /** @returns null if the element or its document is gone */
  async #withField<Result>(run: (handle: JSHandle<StoredField>) => Promise<Result>): Promise<Result | null> {
    const handle = await raceDeadline(this.#storedField(), this.#ctx, 'Reading the field');
    return handle && this.#nullIfDetached(run(handle as JSHandle<StoredField>));
  }

  #storedField(): Promise<JSHandle<StoredField | null> | null> {
    this.#handle ??= this.#match.frame.evaluateHandle(popStoredField, this.#key).catch(() => null);
    return this.#handle;
  }

  /** @returns null if the document and its element are gone */
  async #nullIfDetached<Result>(work: Promise<Result>): Promise<Result | null> {
    try {
      return await raceDeadline(work, this.#ctx, 'Reading the field');
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      if (error instanceof PilothouseError) throw error;
      return null;
    }
  }
}

/** The error contains neither text if one of them is a secret. */
function textDiffersError(
  locator: string,
  current: FieldText,
  { text, keys }: ExpectedText,
  reason: string | null,
  isSecret: boolean,
) {
  const quote = (value: string) =>
    JSON.stringify(value.length > MAX_MESSAGE_CHARS ? `${value.slice(0, MAX_MESSAGE_CHARS)}…` : value);
  const summary = isSecret
    ? `${locator} holds another text than the secret that was typed`
    : `${locator} holds ${quote(current.text)}, not ${quote(text)}`;
  const fix = keys ? 'enter it with `fill`' : 'enter it with `type`';
  const explanation = reason === null ? `; ${fix}, or type the format that the field accepts` : `: ${reason}`;
  return new PilothouseError('TYPED_TEXT_DIFFERS', `${summary}${explanation}`, { details: { locator } });
}
