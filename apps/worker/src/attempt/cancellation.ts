import type { PilothouseError } from '@pilothouse/contract';

/** Whether an attempt goes on: the first reason counts. */
export class RunCancellation {
  private readonly halting = new AbortController();
  private readonly wanting = new AbortController();
  /** Aborts when no step may go on. */
  readonly signal = this.halting.signal;
  /** Aborts when the worker wants to go; a run that waits for a person goes at once. */
  readonly draining = this.wanting.signal;

  /** Stops the step at work. */
  abort(reason: unknown): void {
    if (!this.signal.aborted) this.halting.abort(reason);
  }

  /** Asks for an end at the next boundary between steps. */
  drain(reason: PilothouseError): void {
    if (!this.draining.aborted) this.wanting.abort(reason);
  }
}
