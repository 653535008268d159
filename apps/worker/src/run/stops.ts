import type { PilothouseError } from '@pilothouse/contract';

/** Whether an attempt goes on: the first reason counts. */
export class Stops {
  private readonly halting = new AbortController();
  private readonly wanting = new AbortController();
  /** Aborts when no step may go on. */
  readonly halt = this.halting.signal;
  /** Aborts when the worker wants to go; a run that waits for a person goes at once. */
  readonly leaving = this.wanting.signal;

  /** Stops the step at work. */
  stop(reason: unknown): void {
    if (!this.halt.aborted) this.halting.abort(reason);
  }

  /** Asks for an end at the next boundary between steps. */
  leave(reason: PilothouseError): void {
    if (!this.leaving.aborted) this.wanting.abort(reason);
  }
}
