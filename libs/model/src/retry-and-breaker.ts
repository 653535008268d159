import { MODEL_TIMEOUT_MS } from '@pilothouse/contract/model/model.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Model } from '@pilothouse/core/ports/model.port';
import type { Clock, Context } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { ModelCallError, ModelSilenceError, isLoadingModel } from './provider-errors.ts';

export interface BreakerOptions {
  readonly clock: Clock;
  /** Name of the model for messages, without its key. */
  readonly name: string;
  /** Consecutive failures after which the breaker opens. */
  readonly failureThreshold: number;
  /** Milliseconds from opening until a probe call. */
  readonly resetTimeoutMs: number;
}

export const DEFAULT_BREAKER_OPTIONS = { failureThreshold: 8, resetTimeoutMs: 30_000 } as const;

/** Circuit breaker of a provider: opens after consecutive failures, and lets one call through after a pause. */
export class Breaker {
  private readonly options: BreakerOptions;
  private failureCount = 0;
  /** Monotonic time until which calls are rejected; undefined: closed. */
  private openUntilMs: number | undefined;
  /** A probe call is in progress. */
  private isProbing = false;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  /** Must run before each call. @throws PilothouseError MODEL_UNAVAILABLE while the breaker is open */
  assertCallable(): void {
    if (this.openUntilMs === undefined) return;
    if (this.isProbing || this.options.clock.monotonic() < this.openUntilMs) {
      const { name, failureThreshold: failures } = this.options;
      throw new PilothouseError(
        'MODEL_UNAVAILABLE',
        `The circuit breaker of ${name} is open: the last ${Math.max(failures, this.failureCount)} calls failed`,
      );
    }
    this.isProbing = true;
  }

  recordSuccess(): void {
    this.failureCount = 0;
    this.openUntilMs = undefined;
    this.isProbing = false;
  }

  recordFailure(): void {
    this.failureCount += 1;
    this.isProbing = false;
    const { clock, failureThreshold: failures, resetTimeoutMs: restMs } = this.options;
    if (this.failureCount >= failures) this.openUntilMs = clock.monotonic() + restMs;
  }

  /** The call was aborted, which says nothing about the provider. */
  recordAbort(): void {
    this.isProbing = false;
  }
}

export interface RetryOptions {
  readonly clock: Clock;
  /** 0 to 1. */
  random(): number;
  /** Maximum calls, including the first. */
  readonly maxAttempts: number;
  /** Maximum delay before the second call, in milliseconds; doubles with each call. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Milliseconds after which a stream that stays silent is not called again, so that a fallback answers (default: the limit of a call). */
  readonly maxSilenceMs?: number | undefined;
  /** Waits. @throws the reason of the signal */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Breaker of the key that calls use. */
  readonly breaker?: Breaker;
  /** Called before each call, e.g. to wait for the limit of the key. @throws PilothouseError */
  readonly beforeCall?: (context: Context) => Promise<void>;
}

export const DEFAULT_RETRY_OPTIONS = { maxAttempts: 4, baseMs: 1_000, maxMs: 20_000 } as const;

/** Options of one call. Only a server that loads its model is called again. */
export const NO_RETRIES = { maxAttempts: 1, baseMs: 1, maxMs: 1 } as const;

/** Milliseconds between two calls of a local server that loads its model. */
const LOADING_DELAY_MS = 2_000;

/**
 * Adds retries while the model is unavailable. The delay is random; its maximum doubles with each call. If the provider requests a longer
 * delay, that one is used. A server that loads its model is called until the deadline. Delays beyond the deadline fail immediately. `onStart` is called once, before the first call.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  const { clock, random, maxAttempts, baseMs, maxMs, breaker, beforeCall } = options;
  const { maxSilenceMs = MODEL_TIMEOUT_MS } = options;
  const wait = options.wait ?? systemTimers.delay;
  return {
    generate: async (request, context) => {
      const startedMs = clock.monotonic();
      for (let attempt = 1; ; attempt += 1) {
        await beforeCall?.(context);
        context.signal.throwIfAborted();
        breaker?.assertCallable();
        if (attempt === 1) context.onStart?.();
        const timeoutMs = context.deadline - clock.monotonic();
        try {
          const answer = await model.generate(request, context);
          breaker?.recordSuccess();
          return { ...answer, durationMs: clock.monotonic() - startedMs };
        } catch (thrown) {
          if (context.signal.aborted) {
            breaker?.recordAbort();
            throw thrown;
          }
          const error = toPilothouseError(thrown);
          recordOutcome(breaker, error, timeoutMs);
          const isLoading = isLoadingModel(error);
          if (error.code !== 'MODEL_UNAVAILABLE' || (attempt >= maxAttempts && !isLoading)) throw error;
          if (error instanceof ModelSilenceError && clock.monotonic() - startedMs >= maxSilenceMs) throw error;
          const providerDelayMs = error instanceof ModelCallError ? (error.retryAfterMs ?? 0) : 0;
          const requestedDelayMs = isLoading ? Math.max(providerDelayMs, LOADING_DELAY_MS) : providerDelayMs;
          const delayMs = Math.max(
            requestedDelayMs,
            isLoading ? 0 : random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1)),
          );
          if (clock.monotonic() + delayMs >= context.deadline) throw error;
          context.log.info(
            { error: error.message, ms: Math.round(delayMs), attempt: attempt },
            'model call failed, retrying',
          );
          await wait(delayMs, context.signal);
        }
      }
    },
  };
}

/** Timeouts of shorter calls, in milliseconds, do not count as failures: a healthy provider may need longer. */
const MIN_CONCLUSIVE_TIMEOUT_MS = 10_000;

/**
 * A rate limit response shows that the provider works.
 * @param timeoutMs time limit of the call
 */
function recordOutcome(breaker: Breaker | undefined, error: PilothouseError, timeoutMs: number): void {
  const isBusy = error instanceof ModelCallError && (error.status === 429 || isLoadingModel(error));
  if (error.code !== 'MODEL_UNAVAILABLE' || isBusy) breaker?.recordSuccess();
  else if (error instanceof ModelCallError || timeoutMs >= MIN_CONCLUSIVE_TIMEOUT_MS) breaker?.recordFailure();
  else breaker?.recordAbort();
}
