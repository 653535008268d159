import { raceDeadline, type Deadline } from '@pilothouse/core';

/** One at a time, in the order in which they came. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Waits for those who came before, then works. Who has the turn keeps it until the work ends: work has to end in time by itself.
   * @param what begins the sentence of the error, e.g. `The wait for the clipboard`
   * @throws PilothouseError STEP_TIMED_OUT when the others take too long; as `work`
   */
  async take<Value>(bound: Deadline, what: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<null>();
    /* Who gives up leaves the turn to the next only when it would have been theirs. */
    this.#last = Promise.all([before, promise]).then(() => undefined);
    try {
      await raceDeadline(before, bound, what);
      return await work();
    } finally {
      resolve(null);
    }
  }
}
