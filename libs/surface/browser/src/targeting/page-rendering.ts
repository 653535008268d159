import { limitDeadline, remainingMs, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import type { ActionContext } from '../action-context.ts';
import { areDocumentsIdle } from '../pages/page-idle.ts';

/**
 * Maximum wait for a page that is rendering. A page that never settles, for example because it polls its server, is
 * used as it is afterwards.
 */
const SETTLE_MS = 500;

/** Several matches may be two states of a changing page. They must persist for this long. */
const AMBIGUOUS_MS = 250;

/**
 * Decides whether matches on a page count, so that a partly rendered page gives the same result as the complete one.
 * A page is rendering while a response that it may show is pending, and afterwards until it is idle. A page without
 * requests costs no time.
 */
export class RenderingMonitor {
  readonly #ctx: ActionContext;
  readonly #locateDeadline: Deadline;
  /** Limit of the wait; set by the first match. */
  #limit: Deadline | null = null;
  /** Time of the first ambiguous match. */
  #ambiguousSince: number | null = null;
  /** The page was idle after this monotonic time. */
  #idleSince = -Infinity;

  /** @param deadline of locating the element */
  constructor(ctx: ActionContext, deadline: Deadline) {
    this.#ctx = ctx;
    this.#locateDeadline = deadline;
  }

  /** Call when there was no match. */
  reset(): void {
    this.#limit = null;
    this.#ambiguousSince = null;
  }

  /**
   * True if a unique match counts. If not, waits until the page has settled; the caller must try again.
   * @throws the reason of the signal
   */
  async isUnique(): Promise<boolean> {
    this.#ambiguousSince = null;
    if (this.#isSettled) return true;
    await this.#waitUntilIdle();
    return false;
  }

  /**
   * True if several matches count. They must persist on a page that has become idle.
   * @throws the reason of the signal
   */
  async isAmbiguous(): Promise<boolean> {
    const since = (this.#ambiguousSince ??= this.#ctx.timers.monotonic());
    const isStable = this.#idleSince >= since && this.#ctx.timers.monotonic() - since >= AMBIGUOUS_MS;
    if (isStable ? this.#isSettled : remainingMs(this.#deadline) === 0) return true;
    if (this.#idleSince < since || !this.#isSettled) await this.#waitUntilIdle();
    return false;
  }

  /** At most half of the remaining time, so that another attempt is possible. */
  get #deadline(): Deadline {
    return (this.#limit ??= limitDeadline(
      this.#locateDeadline,
      Math.min(SETTLE_MS, remainingMs(this.#locateDeadline) / 2),
    ));
  }

  get #isSettled(): boolean {
    return !this.#ctx.tab.network.isRendering(this.#idleSince) || remainingMs(this.#deadline) === 0;
  }

  async #waitUntilIdle(): Promise<void> {
    const { network } = this.#ctx.tab;
    await poll(async () => {
      if (network.isResponsePending) return undefined;
      const startedAt = this.#ctx.timers.monotonic();
      if (!(await areDocumentsIdle(this.#ctx, this.#deadline).catch(() => false))) return undefined;
      this.#idleSince = startedAt;
      return true;
    }, this.#deadline);
    this.#ctx.signal.throwIfAborted();
  }
}
