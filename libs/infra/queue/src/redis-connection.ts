import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '@pilothouse/core';

/** Options that make a command fail soon while Redis is away, instead of waiting for its return. */
export const FAIL_FAST_OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  // A server that is stopped, or gone with its network, closes nothing: what is written to it would pile up in this process.
  socketTimeout: 8_000,
  // What is asked within one turn of the event loop is one write: on a busy gateway the writes cost more than what they say.
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

/** A connection to Redis; lost connections are logged once and come back by themselves. */
export function createRedis(redisUrl: string, options: RedisOptions, log: Log): Redis {
  const redis = new Redis(redisUrl, options);
  let away = false;
  redis.on('error', (error: Error) => {
    if (!away) log.warn({ error: error.message }, 'Redis is away; runs wait in PostgreSQL until it is back');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info({}, 'Redis is back');
    away = false;
  });
  return redis;
}
