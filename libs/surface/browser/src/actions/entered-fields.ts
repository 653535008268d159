import type { Action } from '@pilothouse/contract/actions/action-sets';
import { isEphemeralLocator, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { randomUUID } from 'node:crypto';
import type { Frame, Page } from 'playwright-core';
import { withTab, type ActionContext, type EnteredFieldMemory, type EnteredValue } from '../action-context.ts';
import { readEntered, storeEntered, type EnteredState } from '../injected/entered-state.ts';
import { findTarget } from '../targeting/locate-element.ts';
import type { NetworkActivity } from '../pages/network-activity.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { isTyped, sharesWords } from './typed-text.ts';

/** Maximum time for reading the fields of a document. */
const READ_TIMEOUT_MS = 1000;

/** Maximum length of a value in a message. */
const MAX_VALUE_CHARS = 100;

/** Errors of an action that cannot enter its field. */
const fieldErrors: ReadonlySet<string> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'TYPED_TEXT_DIFFERS',
]);

interface Entry {
  readonly action: Action;
  readonly frame: Frame;
  readonly locator: string;
  readonly value: EnteredValue;
  /** State right after the step; null if the element or its document was gone. */
  readonly stored: Promise<EnteredState | null>;
  readonly startedAt: number;
  readonly network: NetworkActivity;
  /** True if the page changed the field before, and it was entered again. */
  readonly isRepeated: boolean;
  /** True once another page received input, which may have changed the field. */
  hasOtherInput: boolean;
}

interface LostEntry {
  readonly key: string;
  readonly entry: Entry;
  readonly actual: string;
}

/**
 * Fields that steps entered on the current documents. Page code that runs later may empty them. They are read again
 * before an input that may submit them, and at the end of the run. Fields of another page are read when it is current
 * again.
 */
export class EnteredFields implements EnteredFieldMemory {
  /** Global property under which a document stores its fields. */
  readonly #registry = `fields-${randomUUID()}`;
  readonly #entries = new Map<string, Entry>();
  #action: Action | null = null;
  #startedAt = 0;
  #repeat: ((ctx: ActionContext, action: Action) => Promise<void>) | null = null;
  #isRepeating = false;

  /** True if no field is to be read. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Starts an action. @param repeat performs an earlier action again */
  begin(ctx: ActionContext, action: Action, repeat: (ctx: ActionContext, action: Action) => Promise<void>): void {
    this.#action = action;
    this.#startedAt = ctx.timers.monotonic();
    this.#repeat = repeat;
  }

  /** Adds the field that the current action entered. */
  add({ tab }: ActionContext, { ref, frame, located }: LocatedTarget, value: EnteredValue): void {
    const action = this.#action;
    if (!action) return;
    const key = randomUUID();
    const stored = ref.evaluateAll(storeEntered, this.#argument(key, value)).then(
      (result) => result?.value ?? null,
      () => null,
    );
    const base = { action, frame, locator: located.locator, value, stored, hasOtherInput: false };
    const { network } = tab;
    this.#entries.set(key, { ...base, network, startedAt: this.#startedAt, isRepeated: this.#isRepeating });
  }

  /** Forgets the fields of a page that received other input, or of all pages. Later changes are its effects. */
  forget(page?: Page): void {
    if (this.#isRepeating) return;
    for (const [key, entry] of this.#entries) {
      if (!page || entry.frame.page() === page) this.#entries.delete(key);
      else entry.hasOtherInput = true;
    }
  }

  /**
   * Verifies all fields at the end of the run, and forgets them. Only fields of the current page are entered again.
   * @throws as `restore`
   */
  async finish(ctx: ActionContext): Promise<void> {
    await this.restore(ctx);
    for (const tab of ctx.pages.tabs) {
      const [lost] = tab.page === ctx.page ? [] : await this.#readLost(withTab(ctx, tab));
      if (lost) throw lostError(lost.entry, lost.actual);
    }
    this.forget();
  }

  /**
   * Enters fields of the current page again that it emptied or changed since their step, once.
   * @returns true if input was sent
   * @throws PilothouseError TYPED_TEXT_DIFFERS, TARGET_NOT_ACTIONABLE if a field cannot be entered again
   */
  async restore(ctx: ActionContext): Promise<boolean> {
    if (this.isEmpty || this.#isRepeating) return false;
    const { tab } = ctx;
    const lost = await this.#readLost(withTab(ctx, tab));
    for (const { key, entry, actual } of lost) {
      // A window that opened meanwhile must not receive the value.
      if (ctx.page !== tab.page) break;
      // The entry stays for a retry of the step.
      if (entry.isRepeated || !isRepeatable(entry.action)) throw lostError(entry, actual);
      await this.#enterAgain(ctx, tab, entry, actual);
      this.#entries.delete(key);
      ctx.warn(`${lostMessage(entry, actual)}; it was entered again`);
    }
    return lost.length > 0;
  }

  async #enterAgain(ctx: ActionContext, tab: TrackedPage, entry: Entry, actual: string): Promise<void> {
    const action = this.#action;
    this.#isRepeating = true;
    this.#action = entry.action;
    try {
      await this.#repeat?.(withTab(ctx, tab), entry.action);
    } catch (thrown) {
      ctx.signal.throwIfAborted();
      throw fieldErrors.has(toPilothouseError(thrown).code) ? lostError(entry, actual, thrown) : thrown;
    } finally {
      this.#isRepeating = false;
      this.#action = action;
    }
  }

  /** Reads the fields of the page of a context. */
  async #readLost(ctx: ActionContext): Promise<LostEntry[]> {
    const limit = limitDeadline(ctx, READ_TIMEOUT_MS);
    const entries = [...this.#entries].filter(([, { frame }]) => frame.page() === ctx.page);
    const stored = await Promise.all(
      entries.map(async ([key, entry]) => {
        const state = await raceDeadline(entry.stored, limit, 'Reading the fields').catch(() => null);
        return [key, state] as const;
      }),
    );
    ctx.signal.throwIfAborted();
    for (const [key, state] of stored) {
      const entry = this.#entries.get(key);
      if (!entry || !state || lossOf(entry.value, state) !== null) this.#entries.delete(key);
    }
    const storedStates = new Map(stored);
    const remaining = entries.filter(([key]) => this.#entries.has(key));
    const frames = new Set(remaining.map(([, { frame }]) => frame));
    const answers = await Promise.all([...frames].map((frame) => this.#read(ctx, frame)));
    const states = new Map(answers.flat());
    const lost: LostEntry[] = [];
    for (const [key, entry] of remaining) {
      let state = states.get(key) ?? null;
      if (state && !state.connected) state = await this.#readReplacement(ctx, entry, key);
      if (!state || state.isOverwritten || state.isShown || wasSent(entry, state, storedStates.get(key) ?? null)) {
        this.#entries.delete(key);
        continue;
      }
      const actual = lossOf(entry.value, state);
      const isAccepted = (entry.isRepeated || entry.hasOtherInput) && isOtherText(entry.value, state);
      if (actual !== null && !isAccepted) lost.push({ key, entry, actual });
    }
    return lost;
  }

  async #read(ctx: ActionContext, frame: Frame): Promise<[string, EnteredState][]> {
    if (frame.isDetached()) return [];
    const reading = frame.evaluate(readEntered, this.#registry);
    const states = await raceDeadline(reading, limitDeadline(ctx, READ_TIMEOUT_MS), 'Reading the fields').catch(
      () => null,
    );
    ctx.signal.throwIfAborted();
    return states ?? [];
  }

  /** The page receives no secret that it does not hold. */
  #argument(key: string, value: EnteredValue) {
    const expected = value.kind === 'text' && !value.isSecret ? value.expected.text.trim() : '';
    return { registry: this.#registry, key, expected };
  }

  /** Reads the field that replaced the element; null if there is none. */
  async #readReplacement(
    ctx: ActionContext,
    { action, frame, value }: Entry,
    key: string,
  ): Promise<EnteredState | null> {
    if (!('target' in action) || !action.target) return null;
    const match = await findTarget(ctx, action.target, 'visible').catch(() => null);
    ctx.signal.throwIfAborted();
    if (!match || match.frame !== frame) return null;
    const result = await match.ref.evaluateAll(storeEntered, this.#argument(key, value)).catch(() => null);
    return result?.value ?? null;
  }
}

/** True if the page emptied a field after it had sent its value: a code or a command that is submitted at once. */
function wasSent(
  { value, network, startedAt }: Entry,
  { text, selected }: EnteredState,
  stored: EnteredState | null,
): boolean {
  if (value.kind === 'text') return text?.text.trim() === '' && network.hasSentSince(startedAt, value.expected.text);
  if (value.kind !== 'choice' || selected?.every((key) => valueOf(key) === '') !== true) return false;
  const texts = (stored?.selected ?? []).flatMap((key) => [valueOf(key), labelOf(key)]);
  return network.hasRequestedSince(startedAt) || texts.some((text) => network.hasSentSince(startedAt, text));
}

/** Actions that replace the value of a field, so that they can be performed again. */
const repeatableActions: ReadonlySet<string> = new Set(['fill', 'clear', 'selectOption', 'check', 'uncheck']);

function isRepeatable(action: Action): boolean {
  if (!repeatableActions.has(action.action) || !('target' in action) || !action.target) return false;
  if ('append' in action && action.append) return false;
  return toLocatorChain(action.target).every((locator) => !isEphemeralLocator(locator));
}

/** Returns the current value of a field that lost its entered value; otherwise null. */
function lossOf(value: EnteredValue, state: EnteredState): string | null {
  const { text, checked, selected, options } = state;
  if (value.kind === 'box') return checked === null || checked === value.checked ? null : stateName(checked);
  if (value.kind === 'choice') {
    if (!selected) return null;
    const labels = selected.map(labelOf).sort();
    const available = new Set(options.map(labelOf));
    const isHeld = labels.join('\n') === [...value.labels].sort().join('\n');
    // A list without the option is another list.
    return isHeld || !value.labels.every((label) => available.has(label)) ? null : labels.join(', ');
  }
  if (!text || isTyped(text, value.expected)) return null;
  const isOld = text.text.trim() === '' || text.text === value.initialText;
  return isOld || isOtherText(value, state) ? text.text : null;
}

/** True if the page put another text into a field, unlike one that it formatted, completed or converted. */
function isOtherText(value: EnteredValue, { text, blurText }: EnteredState): boolean {
  if (value.kind !== 'text' || !text?.exact || text.text.trim() === '' || text.text === value.initialText) return false;
  return text.text !== blurText && !sharesWords(text.text, value.expected.text);
}

const valueOf = (key: string) => (JSON.parse(key) as [string, string])[0];
const labelOf = (key: string) => (JSON.parse(key) as [string, string])[1];
const stateName = (checked: boolean) => (checked ? 'checked' : 'unchecked');
const quote = (text: string) =>
  JSON.stringify(text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text);

function lostMessage({ action, locator, value }: Entry, actual: string): string {
  const subject = `${locator} lost the value of its step ${action.action}: the page changed it later`;
  switch (value.kind) {
    case 'text':
      return value.isSecret
        ? `${subject}, and it holds another text than the secret`
        : `${subject} from ${quote(value.expected.text)} to ${quote(actual)}`;
    case 'choice':
      return `${subject} from ${quote(value.labels.join(', '))} to ${quote(actual)}`;
    case 'box':
      return `${subject} from ${stateName(value.checked)} to ${actual}`;
  }
}

const lostError = (entry: Entry, actual: string, cause?: unknown) =>
  new PilothouseError(
    entry.value.kind === 'text' ? 'TYPED_TEXT_DIFFERS' : 'TARGET_NOT_ACTIONABLE',
    `${lostMessage(entry, actual)}; wait until the page is ready before the step, for example with \`waitFor\``,
    { details: { locator: entry.locator, action: entry.action.action }, ...(cause !== undefined && { cause }) },
  );
