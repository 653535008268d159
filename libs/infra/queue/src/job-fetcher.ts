import { once } from 'node:events';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Log, withTimeout, sleep } from '@pilothouse/core';
import { BLOCKING_OPTIONS, createRedis } from './redis-connection.ts';
import { parseJobId, queueName, type DispatchJobId } from './dispatch-job.ts';

/** Most hints fetched side by side: they are one write, and their claims one commit. */
const MAX_FETCHES = 32;

/** Milliseconds after which a queue that does not say who waits in it is nobody's way to a slot. */
const SILENT_MS = 1_000;

/** Milliseconds for what is under way when the fetcher closes. */
const CLOSE_MS = 3_000;

/** BullMQ's worker used only to fetch: what is done with a job is none of its business. */
class Fetch extends Worker<null, null> {
  /** Ends a job and, when asked, takes the next in the same round trip. */
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
  /** Names this gateway in BullMQ's locks. */
  token: string;
  log: Log;
  /** Slots that are free and not yet promised to a hint. */
  free(): number;
  /** Settles a hint: the run is claimed, or the hint was stale. The job is done when this resolves. */
  onJob(hint: DispatchJobId): Promise<void>;
  /** A look found nobody waiting in the queue. */
  onIdle(): void;
}

/**
 * Takes the hints of one fleet, for free slots only. One loop waits for hints; each hint that comes is settled beside the
 * others, and a job that ends fetches the next in the same round trip.
 */
export class JobFetcher {
  private readonly options: JobFetcherDeps;
  private readonly redis: Redis;
  private readonly worker: Fetch;
  private readonly chains = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  /** The last look found nothing, and a slot was free ever since. */
  private empty = false;
  /** On the monotonic clock: the look that was not answered yet began then. */
  private askedAt: number | undefined;
  /** Hints to fetch side by side: doubled as long as there are so many, for each that is not there is asked for in vain. */
  private width = 1;
  private reserved = 0;
  private wake: (() => void) | undefined;
  private readonly loop: Promise<void>;

  constructor(options: JobFetcherDeps) {
    this.options = options;
    this.redis = createRedis(options.redisUrl, BLOCKING_OPTIONS, options.log);
    this.worker = new Fetch(queueName(options.fleet), null, {
      connection: this.redis,
      prefix: options.prefix,
      autorun: false,
      skipStalledCheck: true,
      skipLockRenewal: true,
      skipVersionCheck: true,
      drainDelay: 5,
      lockDuration: 30_000,
    });
    this.worker.on('error', () => undefined);
    this.loop = this.run();
  }

  /** Whether nobody waits in the queue, as far as is known here; or nobody can come through it, because Redis does not answer. */
  get isIdle(): boolean {
    return this.empty || (this.askedAt !== undefined && performance.now() - this.askedAt > SILENT_MS);
  }

  /** To be called when a slot may have become free. */
  onSlotFree(): void {
    this.wake?.();
  }

  /** Takes no more hints; resolves once those under way are settled, or Redis did not answer in time. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.onSlotFree();
    await withTimeout(this.settled(), CLOSE_MS).catch((error: unknown) =>
      this.options.log.debug({ fleet: this.options.fleet, error: String(error) }, 'Jobs stay active'),
    );
    this.redis.disconnect();
  }

  private async settled(): Promise<void> {
    // The blocking wait ends with its connection.
    await this.worker.close(true).catch(() => undefined);
    await this.loop;
    await Promise.allSettled(this.chains);
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (this.openSlots <= 0) {
        // Nobody looks meanwhile.
        this.empty = false;
        this.askedAt = undefined;
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      try {
        await this.fetch();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.options.log.warn({ fleet: this.options.fleet, error: String(error) }, 'Hints could not be fetched');
        await this.redisBack();
      }
    }
  }

  /** Free slots that no fetch under way may fill. */
  private get openSlots(): number {
    return this.options.free() - this.reserved;
  }

  /** Waits for a hint where none was left; otherwise fetches several side by side, for a round trip each would be the limit. */
  private async fetch(): Promise<void> {
    if (this.empty) {
      const job = await this.take(true);
      this.empty = !job;
      this.width = 1;
      return;
    }
    const loops = Math.min(this.openSlots, this.width);
    this.askedAt ??= performance.now();
    const jobs = await Promise.all(Array.from({ length: loops }, () => this.take(false)));
    this.askedAt = undefined;
    this.empty = jobs.includes(undefined);
    if (this.empty) this.options.onIdle();
    this.width = Math.min(MAX_FETCHES, 2 * this.width);
  }

  private async take(block: boolean): Promise<Job<null, null> | undefined> {
    this.reserved += 1;
    const job = await this.worker.getNextJob(this.options.token, { block }).finally(() => (this.reserved -= 1));
    if (job) this.settle(job);
    return job;
  }

  private settle(job: Job<null, null>): void {
    const chain = this.processChain(job).catch((error: unknown) => {
      this.options.log.debug(
        { fleet: this.options.fleet, error: String(error) },
        'A job could not be completed; the sweeper sees to it',
      );
    });
    this.chains.add(chain);
    // A hint that was stale left its slot free: the loop may be waiting for one.
    void chain.finally(() => {
      this.chains.delete(chain);
      this.onSlotFree();
    });
  }

  private async processChain(first: Job<null, null>): Promise<void> {
    let job: Job<null, null> | undefined = first;
    while (job) {
      const hint = parseJobId(job.id);
      if (hint) await this.options.onJob(hint);
      const more = !this.stopping.signal.aborted && this.openSlots > 0;
      if (more) this.reserved += 1;
      job = await this.worker.finish(job, this.options.token, more).finally(() => (this.reserved -= more ? 1 : 0));
    }
  }

  /** Waits until Redis answers again, a second at most between two tries. */
  private async redisBack(): Promise<void> {
    const { signal } = this.stopping;
    if (this.redis.status === 'ready') await sleep(100, signal);
    else
      await once(this.redis, 'ready', { signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]) }).catch(
        () => undefined,
      );
  }
}
