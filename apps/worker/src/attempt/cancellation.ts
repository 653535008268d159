import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { linkAbort } from '@pilothouse/core/time/deadlines';

/** Ends an attempt at once (`signal`), or at the next boundary between steps (`draining`). The first reason of each wins. */
export class RunCancellation {
  private readonly abortController = new AbortController();
  private readonly drainController = new AbortController();
  /** Aborts when no step may continue. */
  readonly signal = this.abortController.signal;
  /** Aborts when the worker wants to hand the run back at the next boundary between steps. */
  readonly draining = this.drainController.signal;
  private readonly unlinks: readonly (() => void)[];

  /** @param sources signals that abort this one, e.g. the loss of the run and the end of its lease */
  constructor(...sources: readonly AbortSignal[]) {
    this.unlinks = sources.map((source) => linkAbort(source, (reason) => this.abort(reason)));
  }

  /** Stops the running step. */
  abort(reason: unknown): void {
    if (!this.signal.aborted) this.abortController.abort(reason);
  }

  /** Requests the end of the attempt at the next boundary between steps. */
  drain(reason: PilothouseError): void {
    if (!this.draining.aborted) this.drainController.abort(reason);
  }

  /** Creates a cancellation for a part of the attempt. It aborts with the attempt, and can abort alone. The caller disposes it. */
  fork(): RunCancellation {
    return new RunCancellation(this.signal);
  }

  /** Removes the links to the sources. */
  dispose(): void {
    for (const unlink of this.unlinks) unlink();
  }
}
