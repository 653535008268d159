import { once } from 'node:events';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { sleep } from '@pilothouse/core/time/timers';
import { MANUAL_WORKER_OPTIONS } from './job-fetcher.ts';
import { BACKGROUND_QUEUE, type BackgroundQueueOptions } from './background-queue.ts';
import { openQueue } from './open-queue.ts';
import { BLOCKING_OPTIONS, createRedis } from './redis-connection.ts';

/** Milliseconds that the blocked command has to end when the connection closes. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Milliseconds for which a job runner may own a wake-up. It completes a wake-up at once, so that an older one belongs to a dead job runner. */
const STALE_MS = 60_000;

export interface BackgroundWakeupsOptions extends BackgroundQueueOptions {
  /** Identifies this job runner in the locks of BullMQ. */
  readonly token: string;
  /** Wake-ups are left for other job runners while this one has no free slot. */
  hasFreeSlot(): boolean;
  /** Called for each wake-up. */
  onWake(): void;
}

/** Receives the wake-ups of `BackgroundQueue`. */
export class BackgroundWakeups {
  private readonly options: BackgroundWakeupsOptions;
  private readonly redis: Redis;
  private readonly worker: Worker<null, null>;
  private readonly stopping = new AbortController();
  private resume: (() => void) | undefined;
  private readonly loop: Promise<void>;

  constructor(options: BackgroundWakeupsOptions) {
    this.options = options;
    this.redis = createRedis(
      options.redisUrl,
      BLOCKING_OPTIONS,
      options.log,
      'Redis unavailable, this job runner polls',
    );
    this.worker = new Worker(BACKGROUND_QUEUE, null, {
      connection: this.redis,
      prefix: options.prefix,
      ...MANUAL_WORKER_OPTIONS,
    });
    this.worker.on('error', () => undefined);
    this.loop = this.run();
  }

  /** Call when a slot has become free. */
  onSlotFree(): void {
    this.resume?.();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.onSlotFree();
    // Closing the connection ends the blocking command.
    const closed = this.worker.close(true).then(() => this.loop);
    await withTimeout(closed, CLOSE_TIMEOUT_MS).catch(() => undefined);
    this.redis.disconnect();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let hasCleaned = false;
    while (!signal.aborted) {
      if (!this.options.hasFreeSlot()) {
        await new Promise<void>((resolve) => (this.resume = resolve));
        continue;
      }
      try {
        if (!hasCleaned) await this.removeStale();
        hasCleaned = true;
        const wakeup = await this.worker.getNextJob(this.options.token);
        if (!wakeup) continue;
        await wakeup.moveToCompleted(null, this.options.token, false);
        this.options.onWake();
      } catch (error) {
        if (signal.aborted) return;
        this.options.log.debug({ error: String(error) }, 'hint not received');
        await this.waitForRedis();
      }
    }
  }

  /** Removes wake-ups that a dead job runner owned. */
  private async removeStale(): Promise<void> {
    const queue = await openQueue(this.redis, BACKGROUND_QUEUE, this.options.prefix);
    await queue.clean(STALE_MS, 1_000, 'active').finally(() => queue.close());
  }

  /** Waits until Redis is ready, at most one second. */
  private async waitForRedis(): Promise<void> {
    const { signal } = this.stopping;
    if (this.redis.status === 'ready') return sleep(100, signal);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(1_000)]);
    await once(this.redis, 'ready', { signal: deadline }).catch(() => undefined);
  }
}
