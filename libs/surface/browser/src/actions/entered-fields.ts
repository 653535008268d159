import type { Action } from '@pilothouse/contract/actions/action-sets';
import { isEphemeralLocator, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { randomUUID } from 'node:crypto';
import type { Frame, Page } from 'playwright-core';
import { withTab, type ActionContext, type EnteredFieldMemory, type EnteredValue } from '../action-context.ts';
import { readEntered, storeEntered, type EnteredState } from '../injected/entered-state.ts';
import { findTarget } from '../targeting/locate-element.ts';
import type { NetworkActivity } from '../pages/network-activity.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';
import { isOtherText, labelOf, lossOf, lostError, lostMessage, valueOf, type EnteredEntry } from './entered-loss.ts';

/** Maximum time for reading the fields of a document. */
const READ_TIMEOUT_MS = 1000;

/** Errors of an action that cannot enter its field. */
const fieldErrors: ReadonlySet<string> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'TYPED_TEXT_DIFFERS',
]);

interface Entry extends EnteredEntry {
  readonly frame: Frame;
  /** State right after the step; null if the element or its document was gone. */
  readonly stored: Promise<EnteredState | null>;
  readonly startedAt: number;
  readonly network: NetworkActivity;
  /** True if the page changed the field before, and it was entered again. */
  readonly isRepeated: boolean;
  /** True once another page received input, which may have changed the field. */
  hasOtherInput: boolean;
  /** First click on an element that is no field after the step. The field is not entered again. */
  click: { readonly locator: string; readonly clickedAt: number } | null;
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
  #now = () => 0;
  #repeat: ((ctx: ActionContext, action: Action) => Promise<void>) | null = null;
  #isRepeating = false;

  /** True if no field is to be read. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Starts an action. @param repeat performs an earlier action again */
  begin(ctx: ActionContext, action: Action, repeat: (ctx: ActionContext, action: Action) => Promise<void>): void {
    this.#action = action;
    this.#now = () => ctx.timers.monotonic();
    this.#startedAt = this.#now();
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
    const base = { action, frame, locator: located.locator, value, stored, hasOtherInput: false, click: null };
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

  /** A later change may be an effect of the click. A text that is lost without a visible use is reported. */
  clicked(page: Page, locator: string): void {
    if (this.#isRepeating) return;
    for (const [key, entry] of this.#entries) {
      if (entry.frame.page() !== page) entry.hasOtherInput = true;
      else if (entry.value.kind === 'text') entry.click ??= { locator, clickedAt: this.#now() };
      else this.#entries.delete(key);
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
      if (entry.click && state && !state.connected) state = null;
      if (state && !state.connected) state = await this.#readReplacement(ctx, entry, key);
      if (!state || state.isOverwritten || state.isShown || wasSent(entry, state, storedStates.get(key) ?? null)) {
        this.#entries.delete(key);
        continue;
      }
      const actual = lossOf(entry.value, state);
      if (actual !== null && entry.click) {
        this.#entries.delete(key);
        const { locator, clickedAt } = entry.click;
        const isUsed = state.text?.text.trim() !== '' || entry.network.hasRequestedSince(clickedAt);
        if (!isUsed)
          ctx.warn(
            `${lostMessage(entry, actual)}, after the click on ${locator}; enter it after that click if it is needed`,
          );
        continue;
      }
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
