import { PilothouseError } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';

export interface BreakerOptions {
  readonly clock: Clock;
  /** What is called, for the message: never a key. */
  readonly name: string;
  /** Calls in a row that fail before no more are made. */
  readonly failures: number;
  /** Milliseconds until one is tried again. */
  readonly restMs: number;
}

/** Failures and milliseconds, when nothing else is known. */
export const BREAKER_DEFAULTS = { failures: 8, restMs: 30_000 } as const;

/** Keeps calls from a provider that answered none of the last ones: after a rest one call tries whether it is back. */
export class Breaker {
  private readonly options: BreakerOptions;
  private failures = 0;
  /** Until when nothing is called; undefined: calls are made. */
  private restsUntil: number | undefined;
  /** A call tries whether it is back. */
  private isTrying = false;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  /** To be called before each call. @throws PilothouseError MODEL_UNAVAILABLE while it rests */
  check(): void {
    if (this.restsUntil === undefined) return;
    if (this.isTrying || this.options.clock.monotonic() < this.restsUntil) {
      const { name, failures } = this.options;
      throw new PilothouseError(
        'MODEL_UNAVAILABLE',
        `${name} is not asked for a while: the last ${Math.max(failures, this.failures)} calls failed`,
      );
    }
    this.isTrying = true;
  }

  answered(): void {
    this.failures = 0;
    this.restsUntil = undefined;
    this.isTrying = false;
  }

  failed(): void {
    this.failures += 1;
    this.isTrying = false;
    const { clock, failures, restMs } = this.options;
    if (this.failures >= failures) this.restsUntil = clock.monotonic() + restMs;
  }

  /** The call was given up: nothing is known. */
  undecided(): void {
    this.isTrying = false;
  }
}
