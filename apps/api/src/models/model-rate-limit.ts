import { createHash } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';
import { type Clock, type Context, type Log, systemTimers } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { RateLimiter } from '@pilothouse/infra-queue';

export interface ModelRateLimitDeps {
  readonly turns: Pick<RateLimiter, 'acquire'>;
  /** Calls a minute of an endpoint without a limit of its own; undefined: unlimited. */
  readonly perMinute: number | undefined;
  readonly endpoints: ModelsConfig['endpoints'];
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
        log.warn({ provider, error: String(error) }, 'The calls of a model are not counted');
        return 0;
      });
    if (wait === null) {
      throw new PilothouseError(
        'MODEL_UNAVAILABLE',
        `${perMinute} calls a minute are made with the key of ${provider}: there is no room in time`,
      );
    }
    if (wait > 0) await systemTimers.delay(wait, signal);
  };
}
