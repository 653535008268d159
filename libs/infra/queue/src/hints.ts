import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core';
import { connect, failFast } from './connection.ts';
import { jobId, jobOptions, queueName, type FleetHint } from './job.ts';

const JOB = 'run';

/** Puts hints into the fleets' queues and looks which are still there. */
export class HintBoard {
  private readonly redis: Redis;
  private readonly queues = new Map<string, Queue>();
  private readonly prefix: string;

  constructor(options: { redisUrl: string; prefix: string; log: Log }) {
    this.redis = connect(options.redisUrl, failFast, options.log);
    this.prefix = options.prefix;
  }

  /** Adds hints. @throws when Redis is away: the sweeper hints again */
  async add(hints: readonly FleetHint[]): Promise<void> {
    const byFleet = Map.groupBy(hints, ({ fleet }) => fleet);
    await Promise.all(
      [...byFleet].map(([fleet, some]) => {
        const queue = this.queue(fleet);
        const [only] = some;
        if (some.length === 1 && only) return queue.add(JOB, null, jobOptions(only));
        return queue.addBulk(some.map((hint) => ({ name: JOB, data: null, opts: jobOptions(hint) })));
      }),
    );
  }

  /** The hints whose job does not wait: lost with Redis, or fetched by a gateway that died before it claimed the run. */
  async missing<Hint extends FleetHint>(hints: readonly Hint[]): Promise<Hint[]> {
    const states = await Promise.all(hints.map((hint) => this.queue(hint.fleet).getJobState(jobId(hint))));
    return hints.filter((_, index) => states[index] !== 'waiting' && states[index] !== 'prioritized');
  }

  /** Removes jobs that a dead gateway left `active` for more than a minute. */
  async clean(fleet: string): Promise<void> {
    await this.queue(fleet).clean(60_000, 1_000, 'active');
  }

  /** Whether Redis answers. @throws when it does not */
  async check(): Promise<void> {
    await this.redis.ping();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    this.redis.disconnect();
  }

  private queue(fleet: string): Queue {
    let queue = this.queues.get(fleet);
    if (!queue) {
      queue = new Queue(queueName(fleet), { connection: this.redis, prefix: this.prefix, skipVersionCheck: true });
      // Reported by the connection itself, once.
      queue.on('error', () => undefined);
      this.queues.set(fleet, queue);
    }
    return queue;
  }
}
