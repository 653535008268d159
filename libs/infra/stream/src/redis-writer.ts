import { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';

/** Milliseconds without a response after which the connection counts as broken. */
const RESPONSE_MS = 5_000;

/** Options of connections that reconnect by themselves. */
export const RECONNECT_OPTIONS = {
  /** Milliseconds until the next connection attempt. */
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
  // The timer of a disconnect keeps the process alive while Redis does not answer.
  disconnectTimeout: 500,
};

export interface RedisWriterOptions {
  redisUrl: string;
  /** Maximum bytes of pending writes. Further writes are dropped. */
  maxBytes: number;
  /** Connects on the first write. */
  lazy?: boolean;
  /** Milliseconds without a response after which the connection counts as broken. Default: 5 s. */
  responseMs?: number;
  log: Log;
}

/** Writes to Redis without delivery guarantee. Limits the memory of pending writes if Redis hangs. */
export class BestEffortRedisWriter {
  private readonly redis: Redis;
  private readonly maxBytes: number;
  private readonly log: Log;
  private bytes = 0;

  constructor({ redisUrl, maxBytes, lazy = false, responseMs: answerMs = RESPONSE_MS, log }: RedisWriterOptions) {
    this.maxBytes = maxBytes;
    this.log = log;
    this.redis = new Redis(redisUrl, {
      lazyConnect: lazy,
      enableOfflineQueue: false,
      // Pending writes fail at once when the connection breaks.
      maxRetriesPerRequest: 0,
      // A stopped or unreachable server closes no connection.
      socketTimeout: answerMs,
      ...RECONNECT_OPTIONS,
    });
    this.redis.on('error', () => undefined);
  }

  /**
   * Writes at once or drops the write. Never throws.
   * @param bytes approximate size of the write
   * @returns true if Redis has confirmed the write
   */
  async tryWrite(bytes: number, write: (redis: Redis) => Promise<unknown>): Promise<boolean> {
    if (this.redis.status === 'wait') await this.redis.connect().catch(() => undefined);
    if (this.redis.status !== 'ready' || (this.bytes > 0 && this.bytes + bytes > this.maxBytes)) return false;
    this.bytes += bytes;
    try {
      await write(this.redis);
      return true;
    } catch (error) {
      this.log.debug({ error: String(error) }, 'live message not written to Redis');
      return false;
    } finally {
      this.bytes -= bytes;
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}
