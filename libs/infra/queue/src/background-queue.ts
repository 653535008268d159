import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { openQueue } from './open-queue.ts';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';

/** BullMQ queue of the wake-ups for job runners. */
export const BACKGROUND_QUEUE = 'background';

/** Deadline of a wake-up, in milliseconds. */
const WAKE_TIMEOUT_MS = 2_000;

export interface BackgroundQueueOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly log: Log;
}

/** Wakes job runners. The rows of the jobs are authoritative: a lost wake-up costs time only, because job runners also poll. */
export class BackgroundQueue {
  private readonly redis: Redis;
  private readonly options: BackgroundQueueOptions;
  private queue: Promise<Queue> | undefined;

  constructor(options: BackgroundQueueOptions) {
    this.options = options;
    this.redis = createRedis(options.redisUrl, FAIL_FAST_OPTIONS, options.log, 'Redis unavailable, job runners poll');
  }

  /** Adds one wake-up for each job. Without Redis it does nothing. */
  async wake(jobs: readonly string[]): Promise<void> {
    if (jobs.length === 0) return;
    try {
      await withTimeout(this.add(jobs), WAKE_TIMEOUT_MS);
    } catch (error) {
      this.options.log.debug({ jobs: jobs.length, error: String(error) }, 'job runners not woken');
    }
  }

  async close(): Promise<void> {
    const queue = this.queue;
    if (queue)
      await withTimeout(
        queue.then((opened) => opened.close()),
        WAKE_TIMEOUT_MS,
      ).catch(() => undefined);
    this.redis.disconnect();
  }

  private async add(jobs: readonly string[]): Promise<void> {
    // BullMQ waits without limit for a connection that is not ready.
    if (this.redis.status !== 'ready') throw new Error('Redis is unavailable');
    this.queue ??= openQueue(this.redis, BACKGROUND_QUEUE, this.options.prefix);
    const queue = await this.queue.catch((error: unknown) => {
      this.queue = undefined;
      throw error;
    });
    await queue.addBulk(
      jobs.map((job) => ({
        name: 'job',
        data: null,
        opts: { jobId: job, removeOnComplete: true, removeOnFail: true },
      })),
    );
  }
}
