import { once } from 'node:events';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { sleep } from '@pilothouse/core/time/timers';
import { BLOCKING_OPTIONS, createRedis } from './redis-connection.ts';
import { parseJobId, queueName, type DispatchJobId } from './dispatch-job.ts';

/** Options of a BullMQ worker whose jobs are fetched by calls. Locks are not renewed: jobs are only hints. */
export const MANUAL_WORKER_OPTIONS = {
  autorun: false,
  skipStalledCheck: true,
  skipLockRenewal: true,
  skipVersionCheck: true,
  drainDelay: 5,
  lockDuration: 30_000,
} as const;

/** Maximum number of concurrent fetches. They share one write to Redis, and their claims share one commit. */
const MAX_FETCHES = 32;

/** Milliseconds without a response after which a queue counts as idle. */
const FETCH_SILENCE_MS = 1_000;

/** Milliseconds that jobs in progress have when the fetcher closes. */
const CLOSE_TIMEOUT_MS = 3_000;

/** A BullMQ worker that only fetches and completes jobs. */
class FetchWorker extends Worker<null, null> {
  /** Completes a job and optionally fetches the next one in the same round trip. */
  async finish(job: Job<null, null>, token: string, fetchNext: boolean): Promise<Job<null, null> | undefined> {
    const next: unknown = await job.moveToCompleted(null, token, fetchNext);
    if (!fetchNext || !Array.isArray(next)) return undefined;
    const [data, id] = next;
    return data ? this.nextJobFromJobData(data, id, token) : undefined;
  }
}

export interface JobFetcherDeps {
  redisUrl: string;
  prefix: string;
  fleet: string;
  /** Identifies this gateway in the locks of BullMQ. */
  token: string;
  log: Log;
  /** Number of free slots without a job. */
  freeSlots(): number;
  /** Claims the run of a job, or ignores a stale job. The job is completed when this resolves. */
  onJob(dispatchJob: DispatchJobId): Promise<void>;
  /** Called when a fetch found no waiting job. */
  onIdle(): void;
}

/**
 * Fetches the dispatch jobs of one fleet while slots are free. One loop waits for jobs. Jobs are processed concurrently, and
 * completing a job fetches the next one in the same round trip.
 */
export class JobFetcher {
  private readonly options: JobFetcherDeps;
  private readonly redis: Redis;
  private readonly worker: FetchWorker;
  private readonly chains = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  /** True if the last fetch found no job and a slot has been free since. */
  private isEmpty = false;
  /** Start of the fetch without a response, by the monotonic clock. */
  private pendingSince: number | undefined;
  /** Concurrent fetches. Doubles while jobs are found, because a fetch without a job is a wasted round trip. */
  private concurrency = 1;
  private reserved = 0;
  private wake: (() => void) | undefined;
  private readonly loop: Promise<void>;

  constructor(options: JobFetcherDeps) {
    this.options = options;
    this.redis = createRedis(options.redisUrl, BLOCKING_OPTIONS, options.log);
    this.worker = new FetchWorker(queueName(options.fleet), null, {
      connection: this.redis,
      prefix: options.prefix,
      ...MANUAL_WORKER_OPTIONS,
    });
    this.worker.on('error', () => undefined);
    this.loop = this.run();
  }

  /** True if no job is known to wait, or if Redis does not respond. */
  get isIdle(): boolean {
    return (
      this.isEmpty || (this.pendingSince !== undefined && performance.now() - this.pendingSince > FETCH_SILENCE_MS)
    );
  }

  /** Call when a slot may have become free. */
  onSlotFree(): void {
    this.wake?.();
  }

  /** Stops fetching. Resolves when jobs in progress are done or the timeout has passed. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.onSlotFree();
    await withTimeout(this.drain(), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
      this.options.log.debug({ fleet: this.options.fleet, error: String(error) }, 'jobs not completed'),
    );
    this.redis.disconnect();
  }

  private async drain(): Promise<void> {
    // Closing the connection ends the blocking command.
    await this.worker.close(true).catch(() => undefined);
    await this.loop;
    await Promise.allSettled(this.chains);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (this.openSlots <= 0) {
        // Without a free slot nothing is fetched, so the state of the queue is unknown.
        this.isEmpty = false;
        this.pendingSince = undefined;
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      try {
        await this.fetch();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.options.log.warn({ fleet: this.options.fleet, error: String(error) }, 'job fetch failed');
        await this.waitForRedis();
      }
    }
  }

  /** Free slots minus fetches in progress. */
  private get openSlots(): number {
    return this.options.freeSlots() - this.reserved;
  }

  /** Blocks for one job if the queue was empty, else fetches several concurrently. */
  private async fetch(): Promise<void> {
    if (this.isEmpty) {
      const job = await this.fetchJob(true);
      this.isEmpty = !job;
      this.concurrency = 1;
      return;
    }
    const loops = Math.min(this.openSlots, this.concurrency);
    this.pendingSince ??= performance.now();
    const jobs = await Promise.all(Array.from({ length: loops }, () => this.fetchJob(false)));
    this.pendingSince = undefined;
    this.isEmpty = jobs.includes(undefined);
    if (this.isEmpty) this.options.onIdle();
    this.concurrency = Math.min(MAX_FETCHES, 2 * this.concurrency);
  }

  private async fetchJob(block: boolean): Promise<Job<null, null> | undefined> {
    this.reserved += 1;
    const job = await this.worker.getNextJob(this.options.token, { block }).finally(() => (this.reserved -= 1));
    if (job) this.startChain(job);
    return job;
  }

  private startChain(job: Job<null, null>): void {
    const chain = this.processChain(job).catch((error: unknown) => {
      this.options.log.debug(
        { fleet: this.options.fleet, error: String(error) },
        'job not completed, sweeper will complete it',
      );
    });
    this.chains.add(chain);
    // A stale job leaves its slot free, and the loop may be waiting for a slot.
    void chain.finally(() => {
      this.chains.delete(chain);
      this.onSlotFree();
    });
  }

  private async processChain(first: Job<null, null>): Promise<void> {
    let job: Job<null, null> | undefined = first;
    while (job) {
      const dispatchJob = parseJobId(job.id);
      if (dispatchJob) await this.options.onJob(dispatchJob);
      const canFetchNext = !this.stopping.signal.aborted && this.openSlots > 0;
      if (canFetchNext) this.reserved += 1;
      job = await this.worker
        .finish(job, this.options.token, canFetchNext)
        .finally(() => (this.reserved -= canFetchNext ? 1 : 0));
    }
  }

  /** Waits until Redis is ready, at most one second. */
  private async waitForRedis(): Promise<void> {
    const { signal } = this.stopping;
    if (this.redis.status === 'ready') await sleep(100, signal);
    else
      await once(this.redis, 'ready', { signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]) }).catch(
        () => undefined,
      );
  }
}
