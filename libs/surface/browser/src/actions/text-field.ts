import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import {
  delayWithin,
  limitDeadline,
  raceDeadline,
  remainingMs,
  poll,
  type Deadline,
} from '@pilothouse/core/time/deadlines';
import type { JSHandle, Page } from 'playwright-core';
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
  type FieldSelection,
  type FieldState,
  type FieldText,
  type StoredField,
} from '../injected/field-text.ts';
import { endOfTask } from '../injected/focus-target.ts';
import type { ArmCommand, TextDestination } from '../injected/hit-result.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';
import { armOtherDocuments } from '../targeting/locate-element.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { wasSubmitted, isTyped, lengthLimitReason, mayBePlaceholder, type ExpectedText } from './typed-text.ts';

/** Maximum wait for typed text to appear. */
const TEXT_TIMEOUT_MS = 300;

/** Time in which a field has to take the focus. */
const FOCUS_TIMEOUT_MS = 1000;

const FOCUS_RETRY_MS = 50;

/** Maximum length of a field text in an error message. */
const MAX_MESSAGE_CHARS = 100;

/** Maximum wait for the task after a key. */
const TASK_TIMEOUT_MS = 100;

const newKey = () => `field-${randomUUID()}`;

const NO_DESTINATION: TextDestination = { accepted: 0, canceled: 0, parts: [] };

/** Field state with the interceptor that watches the destination of its text. */
interface ArmedField {
  readonly state: FieldState;
  readonly arm: ArmCommand;
}

/** Field that receives text. It stays the same element even if its locator depends on its text. */
export class TypedField {
  /** State before input. */
  readonly state: FieldState;
  readonly #ctx: ActionContext;
  /** Page of the field. The current page may change if a key opens a tab. */
  readonly #page: Page;
  readonly #tab: TrackedPage;
  readonly #match: LocatedTarget;
  readonly #startedAt: number;
  /** Key under which the page stores the field until it is read. */
  readonly #key: string;
  readonly #isReplacement: boolean;
  /** Number of the armed interceptor. */
  #armId: number;
  /** Null if the document is gone. */
  #handle: Promise<JSHandle<StoredField | null> | null> | null = null;

  private constructor(
    ctx: ActionContext,
    match: LocatedTarget,
    { state, arm }: ArmedField,
    key: string,
    isReplacement = false,
  ) {
    this.#isReplacement = isReplacement;
    this.#ctx = ctx;
    this.#page = ctx.page;
    this.#tab = ctx.tab;
    this.#startedAt = ctx.timers.monotonic();
    this.#match = match;
    this.state = state;
    this.#armId = arm.id;
    this.#key = key;
  }

  /**
   * Focuses the field, and selects its text or moves the caret to its end. From now on, input that would go elsewhere is
   * stopped. The caller disarms the interceptors.
   * @throws PilothouseError TARGET_NOT_ACTIONABLE if the field does not take the focus
   */
  static async focus(ctx: ActionContext, match: LocatedTarget, selection: FieldSelection): Promise<TypedField> {
    const key = newKey();
    const store = () =>
      armField(ctx, match, (arm) => evaluateOn(ctx, match.ref, storeField, { key, selection, arm }, 'The focus'));
    const limit = limitDeadline(ctx, FOCUS_TIMEOUT_MS);
    let armed = await store();
    while (armed.state.holder !== null && remainingMs(limit) > FOCUS_RETRY_MS) {
      await delayWithin(FOCUS_RETRY_MS, ctx);
      armed = await store();
    }
    const field = new TypedField(ctx, match, armed, key);
    if (armed.state.holder !== null) throw notFocusedError(match.located.locator, armed.state.holder);
    if (armed.state.isEditor && selection !== 'unchanged')
      await field.#pressChord(selection === 'all' ? 'ControlOrMeta+A' : 'ControlOrMeta+End');
    return field;
  }

  get initialText(): string {
    return this.state.initialText;
  }

  /** Replaces the selection. */
  async insert(text: string): Promise<void> {
    const { keyboard } = this.#page;
    if (this.state.isEditor && text.includes('\n')) {
      let isPasted = false;
      const paste = async () => void (isPasted = await this.#match.frame.evaluate(pasteText, text));
      await sendInput(this.#ctx, 'Typing', paste);
      if (isPasted) return;
    }
    await sendInput(this.#ctx, 'Typing', () => (text === '' ? keyboard.press('Delete') : keyboard.insertText(text)));
  }

  /**
   * Presses the keys of a text one by one, until one is stopped. Checks the guard before each key, so that a cancelled
   * run stops typing.
   */
  async typeKeys(text: string): Promise<void> {
    // Fields of a code may move the focus in a later task.
    const isCode = this.state.isPart && /^[\dA-Za-z]{2,32}$/.test(text);
    for (const character of text.replaceAll('\r\n', '\n')) {
      if (this.#stoppedAt !== null) break;
      this.#ctx.guard();
      await raceDeadline(this.#page.keyboard.type(character), this.#ctx, 'Typing');
      if (isCode)
        await this.#nullIfDetached(this.#match.frame.evaluate(endOfTask), limitDeadline(this.#ctx, TASK_TIMEOUT_MS));
    }
    this.#ctx.inputSent();
  }

  /**
   * Reads the text back and repairs a different text once. A field that the page removes or empties after taking a
   * message is not read.
   * @returns an effect that is not certain
   * @throws PilothouseError TYPED_TEXT_DIFFERS
   */
  async verify(expected: ExpectedText, isSecret: boolean): Promise<ActionEffect | undefined> {
    const first = await this.#nullIfDetached(
      this.#match.frame.evaluate(readStoredField, { key: this.#key, expected: expected.text }),
    );
    if (first === null) return FIELD_GONE;
    if (first.connected && first.text === expected.text) return undefined;
    const destination = await this.#readDestination();
    if (!first.connected) return this.#verifyReplacement(expected, isSecret);
    const { parts, canceled } = destination;
    try {
      let current: FieldText | null = withParts(first, destination);
      if (isTyped(current, expected) && !mayBePlaceholder(current, expected)) return effectOfParts(destination);
      current = await this.#waitForText([expected], parts.length > 0);
      if (current === null) return FIELD_GONE;
      if (mayBePlaceholder(current, expected)) return PLACEHOLDER_SHOWN;
      if (isTyped(current, expected)) return effectOfParts(destination);
      if (this.#stoppedAt === null && parts.length === 0) {
        if (await this.#isShownElsewhere(current, expected, isSecret)) return undefined;
        if (wasSubmitted(current, expected)) return FIELD_EMPTIED;
      }
      let reason = lengthLimitReason(current, expected);
      const { network } = this.#tab;
      const isSent = network.hasRequestedSince(this.#startedAt) || network.hasSentSince(this.#startedAt, expected.text);
      if (current.text === '' && isSent) reason ??= 'the page emptied it, and sent a request';
      if (parts.length > 0) reason = partsReason(current, isSecret);
      // Other means would enter what the page refused.
      if (expected.keys && canceled > 0 && current.exact && !this.state.isEditor) reason ??= REFUSED_REASON;
      if (reason === null) {
        const blank = await this.#replace(expected);
        const repaired = await this.#readDestination();
        const isSplit = repaired.parts.length > 0;
        current = await this.#waitForText([{ ...expected, blank }], isSplit);
        if (current === null) return FIELD_GONE;
        if (isTyped(current, { ...expected, blank })) return effectOfParts(repaired);
        if (this.#stoppedAt !== null) reason = `the page moves the focus to ${this.#stoppedAt}`;
        else if (isSplit) reason = partsReason(current, isSecret);
        else if (repaired.canceled > 0 && current.exact) reason = REFUSED_REASON;
      }
      throw textDiffersError(this.#match.located.locator, current, expected, reason, isSecret);
    } finally {
      void this.#storedField().then((handle) => handle?.dispose());
    }
  }

  /**
   * Reads a text back that was typed at the caret. It is not repaired.
   * @param isShown returns whether the page shows the text elsewhere
   * @returns an effect that is not certain
   * @throws PilothouseError TYPED_TEXT_DIFFERS
   */
  async verifyAtCaret(
    text: string,
    isSecret: boolean,
    isShown: () => Promise<boolean>,
  ): Promise<ActionEffect | undefined> {
    const { surrounding, initialText } = this.state;
    const base = { type: this.#match.kind.type, keys: true };
    const candidateTexts = initialText === '' ? [text] : [initialText + text, text];
    const texts = surrounding ? [surrounding.start + text + surrounding.end] : candidateTexts;
    const expected = texts.map((candidate) => ({ ...base, text: candidate }));
    const [first = { ...base, text }] = expected;
    try {
      const isSplit = (await this.#readDestination()).parts.length > 0;
      const current = await this.#waitForText(expected, isSplit);
      const destination = await this.#readDestination();
      if (current && expected.some((candidate) => isTyped(current, candidate))) return effectOfParts(destination);
      const { locator } = this.#match.located;
      if (this.#stoppedAt !== null) {
        const reason = `the page moves the focus to ${this.#stoppedAt}`;
        throw textDiffersError(locator, current, first, reason, isSecret);
      }
      if (current === null) return FIELD_GONE;
      if (!isSplit && current.text.trim() === '' && (await isShown())) return undefined;
      if (!isSplit && expected.some((candidate) => wasSubmitted(current, candidate))) return FIELD_EMPTIED;
      const isUnknown = surrounding === null && initialText !== '' && current.text !== initialText;
      if (isUnknown) return { effect: 'unverifiable', effectReason: 'The position of the caret is not known' };
      const reason = isSplit ? partsReason(current, isSecret) : lengthLimitReason(current, first);
      const refusal = destination.canceled > 0 ? REFUSED_REASON : null;
      throw textDiffersError(locator, current, first, reason ?? refusal, isSecret);
    } finally {
      void this.#storedField().then((handle) => handle?.dispose());
    }
  }

  /** Number of cancelled keys and inputs, and the element outside the field that would have received input. */
  async readRefusal(): Promise<{ canceled: number; stoppedAt: string | null }> {
    const { canceled } = await this.#readDestination();
    return { canceled, stoppedAt: this.#stoppedAt };
  }

  /** Element outside of the field that would have received input; null: none. */
  get #stoppedAt(): string | null {
    const report = this.#tab.interceptors.lastReport;
    return report?.hit === 'other' ? report.description : null;
  }

  /** Returns the destination of the text since the interceptors were armed. */
  async #readDestination(): Promise<TextDestination> {
    const reading = this.#tab.interceptors.readText(this.#armId);
    return (await this.#nullIfDetached(reading, limitDeadline(this.#ctx, TEXT_TIMEOUT_MS))) ?? NO_DESTINATION;
  }

  /** Verifies the field that replaced this one. Without a replacement, the page took the text. */
  async #verifyReplacement(expected: ExpectedText, isSecret: boolean): Promise<ActionEffect | undefined> {
    if (this.#isReplacement) return FIELD_GONE;
    const key = newKey();
    const stoppedAt = this.#stoppedAt;
    const options = { key, selection: 'all' } as const;
    const armed = await armField(this.#ctx, this.#match, async (arm) => {
      const stored = await this.#nullIfDetached(this.#match.ref.evaluateAll(storeField, { ...options, arm }));
      return stored?.value ?? null;
    });
    if (armed) return new TypedField(this.#ctx, this.#match, armed, key, true).verify(expected, isSecret);
    if (stoppedAt === null) return FIELD_GONE;
    const reason = `the page removed it, and moved the focus to ${stoppedAt}`;
    throw textDiffersError(this.#match.located.locator, null, expected, reason, isSecret);
  }

  /**
   * Empties the field and enters the text by the same means. An editor changes typed lines, so they are inserted.
   * @returns the text of the empty field
   */
  async #replace({ text, keys }: ExpectedText): Promise<string> {
    await this.#select();
    if (text === '' || !this.state.isEditor) await this.insert('');
    const blank = (await this.#readText())?.text ?? '';
    await this.#select();
    if (keys && !this.state.isEditor) await this.typeKeys(text);
    else if (text !== '') await this.insert(text);
    return blank;
  }

  async #select(): Promise<void> {
    const arm = newArm(this.#tab);
    this.#armId = arm.id;
    await this.#withField((handle) => handle.evaluate(selectField, arm));
    await armOtherDocuments(this.#ctx, this.#tab, arm);
    if (this.state.isEditor) await this.#pressChord('ControlOrMeta+A');
  }

  #pressChord(key: string): Promise<void> {
    return sendInput(this.#ctx, 'Typing', () => this.#page.keyboard.press(key));
  }

  /** Returns the field once it has an expected text, else its last state; null if the field is gone. */
  async #waitForText(expected: readonly ExpectedText[], isSplit: boolean): Promise<FieldText | null> {
    let last: FieldText | null = null;
    const lastRead = await poll(
      async () => {
        const current = await this.#readText();
        last = current && isSplit ? withParts(current, await this.#readDestination()) : current;
        return last === null || expected.some((candidate) => last && isTyped(last, candidate))
          ? { current: last }
          : undefined;
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

  async #isShownElsewhere(current: FieldText, expected: ExpectedText, isSecret: boolean): Promise<boolean> {
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
  async #nullIfDetached<Result>(work: Promise<Result>, deadline: Deadline = this.#ctx): Promise<Result | null> {
    try {
      return await raceDeadline(work, deadline, 'Reading the field');
    } catch (error) {
      this.#ctx.signal.throwIfAborted();
      if (error instanceof PilothouseError && deadline === this.#ctx) throw error;
      return null;
    }
  }
}

/** A page may take a message and remove its field. */
export const FIELD_GONE: ActionEffect = {
  effect: 'unverifiable',
  effectReason: 'The page removed the field before its text was read back',
};

/** A page may take a message and empty its field. */
export const FIELD_EMPTIED: ActionEffect = {
  effect: 'unverifiable',
  effectReason: 'The page emptied the field after it took the text',
};

const PLACEHOLDER_SHOWN: ActionEffect = {
  effect: 'unverifiable',
  effectReason: 'The editor shows a text, which may be its placeholder',
};

const REFUSED_REASON = 'the page refused some of its characters; type only what the field accepts';

const newArm = ({ interceptors }: TrackedPage): ArmCommand => ({
  ...interceptors.next('text'),
  input: 'text',
  checksName: false,
});

/** Stores a field and arms the interceptors of all documents. @param store returns null if the field is gone */
async function armField<State extends FieldState | null>(
  ctx: ActionContext,
  { frame }: LocatedTarget,
  store: (arm: ArmCommand) => Promise<State>,
): Promise<State extends null ? null : ArmedField> {
  const { tab } = ctx;
  const arm = newArm(tab);
  let state = await store(arm);
  if (state && !state.isArmed) {
    await raceDeadline(tab.interceptors.install(frame, tab.cdp), ctx, 'The focus');
    state = await store(arm);
  }
  if (state) await armOtherDocuments(ctx, tab, arm);
  return (state && { state, arm }) as State extends null ? null : ArmedField;
}

/** Adds the text of the fields to which the page moved the focus. */
const withParts = (current: FieldText, { parts }: TextDestination): FieldText =>
  parts.length === 0 ? current : { ...current, following: parts.map(({ text }) => text).join('') };

/** A text in fields without a limit may be split where the page took the focus away. */
const effectOfParts = ({ parts }: TextDestination): ActionEffect | undefined =>
  parts.every(({ isLimited }) => isLimited)
    ? undefined
    : {
        effect: 'unverifiable',
        effectReason: `The page moved the focus while the text was typed: ${parts.length + 1} fields hold its parts`,
      };

const partsReason = ({ following }: FieldText, isSecret: boolean) =>
  `the page moved the focus while the text was typed${isSecret ? '' : `, and the next fields hold ${JSON.stringify(following)}`}`;

const notFocusedError = (locator: string, holder: string) => {
  const reason = `it does not take the focus: ${holder} has it`;
  return new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    `${locator} is there, but ${reason}; name the element that takes the text`,
    { details: { locator, reason } },
  );
};

/** The error contains neither text if one of them is a secret. */
function textDiffersError(
  locator: string,
  current: FieldText | null,
  { text, keys }: ExpectedText,
  reason: string | null,
  isSecret: boolean,
) {
  const quote = (value: string) =>
    JSON.stringify(value.length > MAX_MESSAGE_CHARS ? `${value.slice(0, MAX_MESSAGE_CHARS)}…` : value);
  const summary = isSecret
    ? `${locator} holds another text than the secret that was typed`
    : `${locator} holds ${quote(current?.text ?? '')}, not ${quote(text)}`;
  const fix = keys ? 'enter it with `fill`' : 'enter it with `type`';
  const explanation = reason === null ? `; ${fix}, or type the format that the field accepts` : `: ${reason}`;
  return new PilothouseError('TYPED_TEXT_DIFFERS', `${summary}${explanation}`, { details: { locator } });
}
