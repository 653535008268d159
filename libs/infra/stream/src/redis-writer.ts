import { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core';

/** Milliseconds that Redis has to answer, before the connection counts as broken. */
const ANSWER_MS = 5_000;

/** Milliseconds between two tries to reach Redis. */
export const redisReconnectDelay = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);

export interface RedisWriterOptions {
  redisUrl: string;
  /** Most bytes on their way: what comes while Redis has not taken so many is dropped. */
  maxBytes: number;
  /** Connects with the first that is sent, which waits for it. */
  lazy?: boolean;
  /** Milliseconds that Redis has to answer (default 5 s). */
  answerMs?: number;
  log: Log;
}

/** What is written to Redis for whoever listens now: nobody waits for it, and of a Redis that hangs no more than so much is kept for it. */
export class BestEffortRedisWriter {
  private readonly redis: Redis;
  private readonly maxBytes: number;
  private readonly log: Log;
  private bytes = 0;

  constructor({ redisUrl, maxBytes, lazy = false, answerMs = ANSWER_MS, log }: RedisWriterOptions) {
    this.maxBytes = maxBytes;
    this.log = log;
    this.redis = new Redis(redisUrl, {
      lazyConnect: lazy,
      enableOfflineQueue: false,
      // What was on its way when the connection broke is given up at once.
      maxRetriesPerRequest: 0,
      // A server that is stopped, or gone with its network, closes nothing.
      socketTimeout: answerMs,
      retryStrategy: redisReconnectDelay,
    });
    this.redis.on('error', () => undefined);
  }

  /**
   * Writes at once, or not at all.
   * @param bytes about as many as `write` hands in
   * @returns whether Redis has taken it; never throws
   */
  async tryWrite(bytes: number, write: (redis: Redis) => Promise<unknown>): Promise<boolean> {
    if (this.redis.status === 'wait') await this.redis.connect().catch(() => undefined);
    if (this.redis.status !== 'ready' || (this.bytes > 0 && this.bytes + bytes > this.maxBytes)) return false;
    this.bytes += bytes;
    try {
      await write(this.redis);
      return true;
    } catch (error) {
      this.log.debug({ error: String(error) }, 'Redis did not take what is live');
      return false;
    } finally {
      this.bytes -= bytes;
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}
