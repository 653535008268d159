import { PilothouseError, toPilothouseError } from '@pilothouse/contract';
import { type Clock, type Context, type Model, systemTimers } from '@pilothouse/core';
import { ModelCallError } from './provider-errors.ts';

export interface BreakerOptions {
  readonly clock: Clock;
  /** Name of the model for messages, without its key. */
  readonly name: string;
  /** Calls in a row that fail before no more are made. */
  readonly failures: number;
  /** Milliseconds until one is tried again. */
  readonly restMs: number;
}

/** Failures and milliseconds, when nothing else is known. */
export const BREAKER_DEFAULTS = { failures: 8, restMs: 30_000 } as const;

/** Circuit breaker of a provider: opens after consecutive failures, and lets one call through after a pause. */
export class Breaker {
  private readonly options: BreakerOptions;
  private failures = 0;
  /** Until when nothing is called; undefined: calls are made. */
  private restsUntil: number | undefined;
  /** A probe call is in progress. */
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

export interface RetryOptions {
  readonly clock: Clock;
  /** 0 to 1. */
  random(): number;
  /** Calls in all. */
  readonly tries: number;
  /** Longest wait before the second call, in milliseconds; doubled with each. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Waits. @throws the reason of the signal */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Of the key that the model is called with. */
  readonly breaker?: Breaker;
  /** Called before each call, e.g. to wait for the limit of the key. @throws PilothouseError */
  readonly before?: (context: Context) => Promise<void>;
}

/** Waits of a model that does not answer, when nothing else is known. */
export const RETRY_DEFAULTS = { tries: 4, baseMs: 1_000, maxMs: 20_000 } as const;

/**
 * Adds retries while the model is unavailable. The delay is random up to twice the last one, or the delay that the provider requests if
 * longer. Delays beyond the deadline fail immediately. `began` is reported once, before the first call.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  const { clock, random, tries, baseMs, maxMs, breaker, before } = options;
  const wait = options.wait ?? systemTimers.delay;
  return {
    generate: async (request, context) => {
      const began = clock.monotonic();
      for (let tried = 1; ; tried += 1) {
        await before?.(context);
        context.signal.throwIfAborted();
        breaker?.check();
        if (tried === 1) context.began?.();
        const givenMs = context.deadline - clock.monotonic();
        try {
          const answer = await model.generate(request, context);
          breaker?.answered();
          return { ...answer, ms: clock.monotonic() - began };
        } catch (thrown) {
          if (context.signal.aborted) {
            breaker?.undecided();
            throw thrown;
          }
          const error = toPilothouseError(thrown);
          note(breaker, error, givenMs);
          if (error.code !== 'MODEL_UNAVAILABLE' || tried >= tries) throw error;
          const asked = error instanceof ModelCallError ? (error.retryAfterMs ?? 0) : 0;
          const ms = Math.max(asked, random() * Math.min(maxMs, baseMs * 2 ** (tried - 1)));
          if (clock.monotonic() + ms >= context.deadline) throw error;
          context.log.info({ error: error.message, ms: Math.round(ms), tried }, 'A model did not answer; asked again');
          await wait(ms, context.signal);
        }
      }
    },
  };
}

/** A provider that was given less, in milliseconds, may be well though it did not answer in time. */
const FAIR_MS = 10_000;

/**
 * A rate limit response shows that the provider works.
 * @param givenMs time limit of the call in milliseconds
 */
function note(breaker: Breaker | undefined, error: PilothouseError, givenMs: number): void {
  const isBusy = error instanceof ModelCallError && error.status === 429;
  if (error.code !== 'MODEL_UNAVAILABLE' || isBusy) breaker?.answered();
  else if (error instanceof ModelCallError || givenMs >= FAIR_MS) breaker?.failed();
  else breaker?.undecided();
}
