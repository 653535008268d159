import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Log, withTimeout } from '@pilothouse/core';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';
import { jobId, jobOptions, queueName, type FleetJob } from './dispatch-job.ts';

const JOB = 'run';

/** Milliseconds that Redis has to answer. */
const ANSWER_MS = 5_000;

/** Puts hints into the fleets' queues and looks which are still there. */
export class JobQueue {
  private readonly redis: Redis;
  private readonly queues = new Map<string, Promise<Queue>>();
  private readonly prefix: string;
  private readonly answerMs: number;

  /** @param options.answerMs milliseconds that Redis has to answer (default 5 s) */
  constructor(options: { redisUrl: string; prefix: string; log: Log; answerMs?: number }) {
    const { answerMs = ANSWER_MS } = options;
    this.redis = createRedis(options.redisUrl, { ...FAIL_FAST_OPTIONS, commandTimeout: answerMs }, options.log);
    this.prefix = options.prefix;
    this.answerMs = answerMs;
  }

  /** Adds hints. @throws when Redis is away, or does not answer in time: the sweeper hints again */
  async add(hints: readonly FleetJob[]): Promise<void> {
    const byFleet = Map.groupBy(hints, ({ fleet }) => fleet);
    await this.asked(
      [...byFleet].map(async ([fleet, some]): Promise<unknown> => {
        const queue = await this.queue(fleet);
        const [only] = some;
        if (some.length === 1 && only) return queue.add(JOB, null, jobOptions(only));
        return queue.addBulk(some.map((hint) => ({ name: JOB, data: null, opts: jobOptions(hint) })));
      }),
    );
  }

  /**
   * The hints whose job does not wait: lost with Redis, or fetched by a gateway that died before it claimed the run.
   * @throws when Redis is away, or does not answer in time
   */
  async findMissing<Hint extends FleetJob>(hints: readonly Hint[]): Promise<Hint[]> {
    const states = await this.asked(hints.map(async (hint) => (await this.queue(hint.fleet)).getJobState(jobId(hint))));
    return hints.filter((_, index) => states[index] !== 'waiting' && states[index] !== 'prioritized');
  }

  /**
   * Removes jobs that a dead gateway left `active`.
   * @param olderThanMs of those that were added longer ago, whose lock has ended
   * @throws when Redis is away, or does not answer in time
   */
  async removeStale(fleet: string, olderThanMs: number): Promise<void> {
    await this.asked([this.queue(fleet).then((queue) => queue.clean(olderThanMs, 1_000, 'active'))]);
  }

  /** Whether Redis answers. @throws when it does not */
  async check(): Promise<void> {
    await this.redis.ping();
  }

  async close(): Promise<void> {
    const closing = [...this.queues.values()].map(async (queue) => (await queue).close());
    await this.asked(closing).catch(() => undefined);
    this.redis.disconnect();
  }

  private asked<Value>(answers: readonly Promise<Value>[]): Promise<Value[]> {
    return withTimeout(Promise.all(answers), this.answerMs, {
      error: () => new Error(`Redis did not answer within ${this.answerMs} ms`),
    });
  }

  /** BullMQ waits for Redis when a queue is made, however long, and what fails then fails for ever: such a queue is made anew. */
  private queue(fleet: string): Promise<Queue> {
    if (this.redis.status !== 'ready') return Promise.reject(new Error('Redis is away'));
    let made = this.queues.get(fleet);
    if (!made) {
      made = this.makeQueue(fleet);
      this.queues.set(fleet, made);
      made.catch(() => this.queues.delete(fleet));
    }
    return made;
  }

  private async makeQueue(fleet: string): Promise<Queue> {
    const queue = new Queue(queueName(fleet), { connection: this.redis, prefix: this.prefix, skipVersionCheck: true });
    // Reported by the connection itself, once.
    queue.on('error', () => undefined);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
    return queue;
  }
}
