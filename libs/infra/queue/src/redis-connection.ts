import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';

/** Options that make commands fail fast while Redis is unavailable. */
export const FAIL_FAST_OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  // A stopped or unreachable server closes no connection, and pending commands would accumulate in this process.
  socketTimeout: 8_000,
  // The timer of a disconnect keeps the process alive while Redis does not answer.
  disconnectTimeout: 500,
  // Commands of one event loop turn share one write. On a busy gateway the writes cost more than the commands.
  enableAutoPipelining: true,
  autoPipeliningIgnoredCommands: ['bzpopmin'],
  retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
};

/** Options of a connection that waits in a blocking command. */
export const BLOCKING_OPTIONS: RedisOptions = {
  ...FAIL_FAST_OPTIONS,
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
};

/** Creates a Redis connection that reconnects by itself. An outage is logged once, with `downMessage`. */
export function createRedis(
  redisUrl: string,
  options: RedisOptions,
  log: Log,
  downMessage = 'Redis unavailable, runs wait in PostgreSQL',
): Redis {
  const redis = new Redis(redisUrl, options);
  let isDown = false;
  redis.on('error', (error: Error) => {
    if (!isDown) log.warn({ error: error.message }, downMessage);
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) log.info({}, 'Redis available again');
    isDown = false;
  });
  return redis;
}
