import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { openQueue } from './open-queue.ts';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';
import { jobId, jobOptions, queueName, type FleetJob } from './dispatch-job.ts';

const JOB_NAME = 'run';

/** Default deadline of a Redis command, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Adds dispatch jobs to the queues of fleets and finds lost ones. */
export class JobQueue {
  private readonly redis: Redis;
  /** Resolves when the first connection is ready or has failed. */
  private readonly firstConnection: Promise<unknown>;
  private readonly queues = new Map<string, Promise<Queue>>();
  private readonly prefix: string;
  private readonly timeoutMs: number;

  /** @param options.answerMs milliseconds that Redis has to answer (default 5 s) */
  constructor(options: { redisUrl: string; prefix: string; log: Log; timeoutMs?: number }) {
    const { timeoutMs: answerMs = TIMEOUT_MS } = options;
    this.redis = createRedis(options.redisUrl, { ...FAIL_FAST_OPTIONS, commandTimeout: answerMs }, options.log);
    this.firstConnection = new Promise((resolve) => this.redis.once('ready', resolve).once('close', resolve));
    this.prefix = options.prefix;
    this.timeoutMs = answerMs;
  }

  /**
   * Adds jobs. A new replica waits for its first connection: otherwise its first runs would start only after the next repair.
   * @throws if Redis is unavailable or too slow; the sweeper adds the jobs again
   */
  async add(jobs: readonly FleetJob[]): Promise<void> {
    const jobsByFleet = Map.groupBy(jobs, ({ fleet }) => fleet);
    await this.withinDeadline(
      [...jobsByFleet].map(async ([fleet, fleetJobs]): Promise<unknown> => {
        await this.firstConnection;
        const queue = await this.queue(fleet);
        const [single] = fleetJobs;
        if (fleetJobs.length === 1 && single) return queue.add(JOB_NAME, null, jobOptions(single));
        return queue.addBulk(fleetJobs.map((job) => ({ name: JOB_NAME, data: null, opts: jobOptions(job) })));
      }),
    );
  }

  /**
   * Returns the jobs that do not wait in a queue: lost with Redis, or fetched by a gateway that died before the claim.
   * @throws if Redis is unavailable or too slow
   */
  async findMissing<Job extends FleetJob>(jobs: readonly Job[]): Promise<Job[]> {
    const states = await this.withinDeadline(
      jobs.map(async (job) => (await this.queue(job.fleet)).getJobState(jobId(job))),
    );
    return jobs.filter((_, index) => states[index] !== 'waiting' && states[index] !== 'prioritized');
  }

  /**
   * Removes jobs that a dead gateway left `active`.
   * @param olderThanMs minimum age in milliseconds; longer than the lock duration
   * @throws if Redis is unavailable or too slow
   */
  async removeStale(fleet: string, olderThanMs: number): Promise<void> {
    await this.withinDeadline([this.queue(fleet).then((queue) => queue.clean(olderThanMs, 1_000, 'active'))]);
  }

  /** Pings Redis. @throws if it does not respond */
  async check(): Promise<void> {
    await this.redis.ping();
  }

  async close(): Promise<void> {
    const closing = [...this.queues.values()].map(async (queue) => (await queue).close());
    await this.withinDeadline(closing).catch(() => undefined);
    this.redis.disconnect();
  }

  private withinDeadline<Value>(commands: readonly Promise<Value>[]): Promise<Value[]> {
    return withTimeout(Promise.all(commands), this.timeoutMs, {
      error: () => new Error(`Redis did not answer within ${this.timeoutMs} ms`),
    });
  }

  /** Creates queues only while Redis is ready: BullMQ waits without limit otherwise. A queue that failed is created again. */
  private queue(fleet: string): Promise<Queue> {
    if (this.redis.status !== 'ready') return Promise.reject(new Error('Redis is unavailable'));
    let queue = this.queues.get(fleet);
    if (!queue) {
      queue = openQueue(this.redis, queueName(fleet), this.prefix);
      this.queues.set(fleet, queue);
      queue.catch(() => this.queues.delete(fleet));
    }
    return queue;
  }
}
