import { limitDeadline, remainingMs, poll, type Deadline } from '@pilothouse/core';
import type { ActionContext } from '../action-context.ts';
import { isIdle } from '../pages/page-idle.ts';

/**
 * Milliseconds that a look waits at most for a page that is being drawn. A page that never settles, for example one that asks its server
 * all the time, is used as it is after that.
 */
const SETTLE_MS = 500;

/** Several matches may be two states of a page that is changing: they have to stay for this long, in milliseconds. */
const AMBIGUOUS_MS = 250;

/**
 * Decides whether the matches on a page count: a half-drawn page has to give the same answer as the drawn one. A page is being drawn while
 * an answer that it may show is on its way, and after that until it is idle. A page that asks for nothing costs no time.
 */
export class Drawing {
  readonly #hand: ActionContext;
  readonly #bound: Deadline;
  /** Ends the wait; set by the first match. */
  #until: Deadline | null = null;
  /** When several matches were seen first. */
  #ambiguousSince: number | null = null;
  /** The page was idle after this instant of `performance.now`. */
  #idleSince = -Infinity;

  /** @param bound of the look */
  constructor(hand: ActionContext, bound: Deadline) {
    this.#hand = hand;
    this.#bound = bound;
  }

  /** To be called when a look found no match. */
  reset(): void {
    this.#until = null;
    this.#ambiguousSince = null;
  }

  /**
   * Whether the one match that was just found counts. If not, it waits until the page is settled: the caller has to look again.
   * @throws the reason of the signal
   */
  async isUnique(): Promise<boolean> {
    this.#ambiguousSince = null;
    if (this.#isSettled) return true;
    await this.#settle();
    return false;
  }

  /** Whether several matches count, as `isUnique`. They have to stay, on a page that has become idle. @throws the reason of the signal */
  async isAmbiguous(): Promise<boolean> {
    const since = (this.#ambiguousSince ??= performance.now());
    const isStable = this.#idleSince >= since && performance.now() - since >= AMBIGUOUS_MS;
    if (isStable ? this.#isSettled : remainingMs(this.#end) === 0) return true;
    if (this.#idleSince < since || !this.#isSettled) await this.#settle();
    return false;
  }

  /** Half of what is left at most: there has to be time for another look. */
  get #end(): Deadline {
    return (this.#until ??= limitDeadline(this.#bound, Math.min(SETTLE_MS, remainingMs(this.#bound) / 2)));
  }

  get #isSettled(): boolean {
    return !this.#hand.tab.traffic.isDrawing(this.#idleSince) || remainingMs(this.#end) === 0;
  }

  async #settle(): Promise<void> {
    const { traffic } = this.#hand.tab;
    await poll(async () => {
      if (traffic.isAnswerDue) return undefined;
      const began = performance.now();
      if (!(await isIdle(this.#hand, this.#end).catch(() => false))) return undefined;
      this.#idleSince = began;
      return true;
    }, this.#end);
    this.#hand.signal.throwIfAborted();
  }
}
