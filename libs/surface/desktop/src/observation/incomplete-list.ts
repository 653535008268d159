import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { timersOf, type Deadline } from '@pilothouse/core/time/deadlines';

/** Causes of an incomplete list of elements, and what to do. */
export const incompleteCauses: Record<IncompleteReason, string> = {
  timeout: 'the application was too slow to list all of its elements; raise the timeout of the step',
  unresponsive: 'the application does not respond; raise the timeout of the step, or open it again',
  truncated:
    'the window has more elements than one read returns; shorten its longest list, for example with a filter, or use `screenText`',
  parser: 'the screen parser failed; run the step again, or use `screenText`',
};

/** Milliseconds for which a list may have too many elements. The window may change in that time. */
const MAX_TRUNCATED_MS = 3_000;

/** Ends a wait for a whole list that has too many elements to become whole. */
export class TruncationLimit {
  readonly #context: Deadline;
  #sinceMs: number | null = null;

  constructor(context: Deadline) {
    this.#context = context;
  }

  /**
   * Call it after each read.
   * @param isTruncated true if the wait could end but for elements that were left out
   * @returns true if that has been so for 3 s
   */
  isReached(isTruncated: boolean): boolean {
    const nowMs = timersOf(this.#context).monotonic();
    this.#sinceMs = isTruncated ? (this.#sinceMs ?? nowMs) : null;
    return this.#sinceMs !== null && nowMs - this.#sinceMs >= MAX_TRUNCATED_MS;
  }
}
