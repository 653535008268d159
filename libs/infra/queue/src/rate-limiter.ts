import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';

/*
 * A turn is taken ahead of its time, in one round trip, so that who came first goes first. KEYS[1]: the instant of the last turn, in milliseconds by
 * the clock of Redis; ARGV: milliseconds between two turns, how many may be taken at once after a rest, how long to wait at most.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local every, burst, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local turn = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now - burst * every) + every
local wait = math.max(0, turn - now)
if wait > most then return -1 end
redis.call('SET', KEYS[1], string.format('%.3f', turn), 'PX', math.ceil(wait + burst * every) + 1000)
return math.ceil(wait)
`;

/** Turns a minute by name, over all replicas. Lost with Redis, they begin anew. */
export class RateLimiter {
  private readonly redis: Redis;
  private readonly prefix: string;

  constructor(options: { redisUrl: string; prefix: string; log: Log }) {
    this.redis = createRedis(options.redisUrl, FAIL_FAST_OPTIONS, options.log);
    this.prefix = options.prefix;
  }

  /**
   * Takes the next turn. A tenth of a minute's turns, and one at least, may be taken at once.
   * @returns milliseconds to wait for it; null when that is more than `mostMs`: then none was taken
   * @throws when Redis is away
   */
  async acquire(name: string, { perMinute, mostMs }: { perMinute: number; mostMs: number }): Promise<number | null> {
    const burst = Math.max(1, Math.floor(perMinute / 10));
    const wait = Number(
      await this.redis.eval(
        TAKE,
        1,
        `${this.prefix}:rate-limit:${name}`,
        60_000 / perMinute,
        burst,
        Math.max(0, mostMs),
      ),
    );
    return wait < 0 ? null : wait;
  }

  close(): void {
    this.redis.disconnect();
  }
}
