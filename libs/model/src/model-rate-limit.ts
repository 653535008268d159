import { createHash } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock, Context, Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { ConfiguredEndpoints } from './configured-models.ts';

/** Turns of calls by key, over all processes. */
export interface CallTurns {
  /** @returns milliseconds until the turn; null if that exceeds `maxWaitMs` */
  acquire(name: string, limit: { perMinute: number; maxWaitMs: number }): Promise<number | null>;
}

export interface ModelRateLimitDeps {
  readonly turns: CallTurns;
  /** Calls a minute of an endpoint without a separate limit; undefined: unlimited. */
  readonly perMinute: number | undefined;
  readonly endpoints: ConfiguredEndpoints;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Delays calls to the rate limit of their key, over all replicas. Without Redis calls are not delayed: the provider has its own limits.
 * @returns throws PilothouseError MODEL_UNAVAILABLE when the turn comes later than may be waited
 */
export function createModelRateLimit({ turns, perMinute: usual, endpoints, clock, log }: ModelRateLimitDeps) {
  return async (provider: string, { signal, deadline }: Pick<Context, 'signal' | 'deadline'>): Promise<void> => {
    const perMinute = endpoints[provider]?.callsPerMinute ?? usual;
    if (perMinute === undefined) return;
    // Replicas with the same key share a limit. The hash hides the key from readers of Redis.
    const key = createHash('sha256')
      .update(endpoints[provider]?.apiKey ?? '')
      .digest('hex')
      .slice(0, 16);
    const maxWaitMs = deadline - clock.monotonic();
    const wait = await turns
      .acquire(`${provider}:${key}`, { perMinute, maxWaitMs: maxWaitMs })
      .catch((error: unknown) => {
        log.warn({ provider, error: String(error) }, 'model rate limit not counted');
        return 0;
      });
    if (wait === null) {
      throw new PilothouseError(
        'MODEL_UNAVAILABLE',
        `The rate limit of ${provider} (${perMinute} calls per minute) leaves no call in time`,
      );
    }
    if (wait > 0) await systemTimers.delay(wait, signal);
  };
}
