import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';

/*
 * Reserves the next turn in one round trip, so that callers are served in order. KEYS[1]: time of the last turn, in milliseconds by the clock of
 * Redis. ARGV: milliseconds between two turns, burst size, maximum wait in milliseconds.
 */
const ACQUIRE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local every, burst, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local turn = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now - burst * every) + every
local wait = math.max(0, turn - now)
if wait > most then return -1 end
redis.call('SET', KEYS[1], string.format('%.3f', turn), 'PX', math.ceil(wait + burst * every) + 1000)
return math.ceil(wait)
`;

/** Limits calls per minute by name, across all replicas. Its state is lost with Redis. */
export class RateLimiter {
  private readonly redis: Redis;
  private readonly prefix: string;

  constructor(options: { redisUrl: string; prefix: string; log: Log }) {
    this.redis = createRedis(options.redisUrl, FAIL_FAST_OPTIONS, options.log);
    this.prefix = options.prefix;
  }

  /**
   * Reserves the next turn. The burst size is a tenth of `perMinute`, at least one.
   * @returns milliseconds until the turn; null if that exceeds `maxWaitMs`: then nothing is reserved
   * @throws if Redis is unavailable
   */
  async acquire(
    name: string,
    { perMinute, maxWaitMs: maxWaitMs }: { perMinute: number; maxWaitMs: number },
  ): Promise<number | null> {
    const burst = Math.max(1, Math.floor(perMinute / 10));
    const wait = Number(
      await this.redis.eval(
        ACQUIRE_SCRIPT,
        1,
        `${this.prefix}:rate-limit:${name}`,
        60_000 / perMinute,
        burst,
        Math.max(0, maxWaitMs),
      ),
    );
    return wait < 0 ? null : wait;
  }

  close(): void {
    this.redis.disconnect();
  }
}
