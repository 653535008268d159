import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, poll } from '@pilothouse/core';
import type { JSHandle } from 'playwright-core';
import { evaluateOn, sendInput } from '../browser.input.ts';
import type { ActionContext } from '../action-context.ts';
import {
  heldField,
  pasteText,
  readKept,
  readField,
  selectField,
  showsTaken,
  takeField,
  type FieldText,
  type HeldField,
} from '../injected/field-text.ts';
import type { LocatedTarget } from '../targeting/locate-element.ts';
import { isTaken, isTyped, limitOf, type Wanted } from './typed-text.ts';

/** How long a page may take to show what was typed, in milliseconds. */
const SHOWING_MS = 300;

/** Longest text of a field in a message, in characters. */
const MAX_SHOWN = 100;

const newKey = () => `field-${randomUUID()}`;

/** A field that is typed into. It stays the same element, also when its locator depends on its text. */
export class TypedField {
  /** The text before input. */
  readonly before: string;
  readonly #hand: ActionContext;
  readonly #found: LocatedTarget;
  readonly #isEditor: boolean;
  readonly #began = performance.now();
  /** Key under which the page keeps the field until it was read. */
  readonly #key: string;
  readonly #isRemade: boolean;
  /** Null when the document went away. */
  #handle: Promise<JSHandle<HeldField | null> | null> | null = null;

  private constructor(
    hand: ActionContext,
    found: LocatedTarget,
    { before, isEditor }: { before: string; isEditor: boolean },
    key: string,
    isRemade = false,
  ) {
    this.#isRemade = isRemade;
    this.#hand = hand;
    this.#found = found;
    this.before = before;
    this.#isEditor = isEditor;
    this.#key = key;
  }

  /** Gives the field the focus, and selects all of it or puts the caret at its end. */
  static async take(hand: ActionContext, found: LocatedTarget, part: 'all' | 'end'): Promise<TypedField> {
    const key = newKey();
    const taken = await evaluateOn(hand, found.one, takeField, { key, part }, 'The focus');
    const field = new TypedField(hand, found, taken, key);
    if (taken.isEditor) await field.#chord(part === 'all' ? 'ControlOrMeta+A' : 'ControlOrMeta+End');
    return field;
  }

  /** Puts a text in the place of the selection. */
  async insert(text: string): Promise<void> {
    const { keyboard } = this.#hand.page;
    if (this.#isEditor && text.includes('\n')) {
      let isPasted = false;
      const paste = async () => void (isPasted = await this.#found.frame.evaluate(pasteText, text));
      await sendInput(this.#hand, 'Typing', paste);
      if (isPasted) return;
    }
    await sendInput(this.#hand, 'Typing', () => (text === '' ? keyboard.press('Delete') : keyboard.insertText(text)));
  }

  /**
   * Reads the text back. Another text than the wanted one is replaced once. A field that the page takes away, or that keeps nothing of a
   * message it took, is not read.
   * @throws PilothouseError TYPED_TEXT_DIFFERS
   */
  async verify(wanted: Wanted, isSecret: boolean): Promise<void> {
    const first = await this.#inTime(this.#found.frame.evaluate(readKept, { key: this.#key, wanted: wanted.text }));
    if (first === null || (first.connected && first.text === wanted.text)) return;
    if (!first.connected) return this.#verifyRemade(wanted, isSecret);
    try {
      let seen: FieldText | null = first;
      if (isTyped(seen, wanted)) return;
      seen = await this.#settle(wanted);
      if (seen === null || isTyped(seen, wanted) || (await this.#isTaken(seen, wanted, isSecret))) return;
      let reason = limitOf(seen, wanted);
      const isSent = seen.text === '' && this.#hand.tab.traffic.hasAskedSince(this.#began);
      if (isSent) reason ??= 'the page emptied it, and sent a request';
      if (reason === null) {
        const blank = await this.#replace(wanted.text);
        seen = await this.#settle({ ...wanted, blank });
        if (seen === null || isTyped(seen, { ...wanted, blank })) return;
      }
      throw differs(this.#found.located.locator, seen, wanted, reason, isSecret);
    } finally {
      void this.#held().then((handle) => handle?.dispose());
    }
  }

  /** Verifies the field that the page put in the place of this one. Without one, the page took the text. */
  async #verifyRemade(wanted: Wanted, isSecret: boolean): Promise<void> {
    if (this.#isRemade) return;
    const key = newKey();
    const taken = await this.#inTime(this.#found.one.evaluateAll(takeField, { key, part: 'all' }));
    if (taken) await new TypedField(this.#hand, this.#found, taken.value, key, true).verify(wanted, isSecret);
  }

  /** Empties the field and inserts the text. @returns the text of the empty field */
  async #replace(text: string): Promise<string> {
    await this.#select();
    if (text === '' || !this.#isEditor) await this.insert('');
    const blank = (await this.#read())?.text ?? '';
    await this.#select();
    if (text !== '') await this.insert(text);
    return blank;
  }

  async #select(): Promise<void> {
    await this.#run((handle) => handle.evaluate(selectField, undefined));
    if (this.#isEditor) await this.#chord('ControlOrMeta+A');
  }

  #chord(key: string): Promise<void> {
    return sendInput(this.#hand, 'Typing', () => this.#hand.page.keyboard.press(key));
  }

  /** The text once it is the wanted one, otherwise the last one that was seen; null when the field is gone. */
  async #settle(wanted: Wanted): Promise<FieldText | null> {
    let last: FieldText | null = null;
    const settled = await poll(
      async () => {
        last = await this.#read();
        return last === null || isTyped(last, wanted) ? { seen: last } : undefined;
      },
      limitDeadline(this.#hand, SHOWING_MS),
    );
    return settled ? settled.seen : last;
  }

  /** @returns null when the page took the field away */
  async #read(): Promise<FieldText | null> {
    const seen = await this.#run((handle) => handle.evaluate(readField, undefined));
    return seen?.connected ? seen : null;
  }

  async #isTaken(seen: FieldText, wanted: Wanted, isSecret: boolean): Promise<boolean> {
    if (isTaken(seen, wanted)) return true;
    if (seen.text.trim() !== '' || isSecret) return false;
    const text = wanted.text.replace(/[\s,;]+$/, '');
    return (await this.#run((handle) => handle.evaluate(showsTaken, text))) === true;
  }

  /** @returns null when the element or its document is gone */
  async #run<Result>(run: (handle: JSHandle<HeldField>) => Promise<Result>): Promise<Result | null> {
    const handle = await raceDeadline(this.#held(), this.#hand, 'The look at the field');
    return handle && this.#inTime(run(handle as JSHandle<HeldField>));
  }

  #held(): Promise<JSHandle<HeldField | null> | null> {
    this.#handle ??= this.#found.frame.evaluateHandle(heldField, this.#key).catch(() => null);
    return this.#handle;
  }

  /** @returns null when the document went away, and the element with it */
  async #inTime<Result>(work: Promise<Result>): Promise<Result | null> {
    try {
      return await raceDeadline(work, this.#hand, 'The look at the field');
    } catch (thrown) {
      this.#hand.signal.throwIfAborted();
      if (thrown instanceof PilothouseError) throw thrown;
      return null;
    }
  }
}

/** Neither text appears in the error when one of them is a secret. */
function differs(locator: string, seen: FieldText, { text, keys }: Wanted, reason: string | null, isSecret: boolean) {
  const shown = (one: string) => JSON.stringify(one.length > MAX_SHOWN ? `${one.slice(0, MAX_SHOWN)}…` : one);
  const what = isSecret
    ? `${locator} holds another text than the secret that was typed`
    : `${locator} holds ${shown(seen.text)}, not ${shown(text)}`;
  const fix = keys ? 'enter it with `fill`' : 'enter it with `type`';
  const why = reason === null ? `; ${fix}, or type the form that the field takes` : `: ${reason}`;
  return new PilothouseError('TYPED_TEXT_DIFFERS', `${what}${why}`, { details: { locator } });
}
