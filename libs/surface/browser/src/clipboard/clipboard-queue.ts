import { raceDeadline, type Deadline } from '@pilothouse/core/time/deadlines';

/** FIFO mutex. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Waits for earlier callers, then runs the work. The lock is held until the work settles, so the work must enforce
   * its own deadline.
   * @param subject begins the error message, for example `The wait for the clipboard`
   * @throws PilothouseError STEP_TIMED_OUT if earlier callers take too long; as `work`
   */
  async run<Value>(deadline: Deadline, subject: string, work: () => Promise<Value>): Promise<Value> {
    const predecessors = this.#last;
    const { promise, resolve } = Promise.withResolvers<null>();
    // A caller that gives up releases the lock only after its predecessors.
    this.#last = Promise.all([predecessors, promise]).then(() => undefined);
    try {
      await raceDeadline(predecessors, deadline, subject);
      return await work();
    } finally {
      resolve(null);
    }
  }
}
