import { Redis } from 'ioredis';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { startTcpProxy } from '@pilothouse/testing/tcp-proxy';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { LEASE_MS, useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';
import { createRunLifecycle } from '../../run-lifecycle/run-lifecycle.module.ts';

/** Lets a worker end every run as soon as it is assigned. @returns the runs in order */
function endAtOnce(w: ProtocolWorker, slots: number): string[] {
  const endedRuns: string[] = [];
  w.onMessage = (message) => {
    if (message.type !== 'assign') return;
    const { run, epoch } = message.assignment;
    endedRuns.push(run);
    w.append({ run, epoch }, [], { outcome: { status: 'completed', output: {} } });
    w.send({ type: 'ready', freeSlots: slots, assignmentsReceived: endedRuns.length });
  };
  return endedRuns;
}

describe('direct dispatch on the replica that received the run', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf } = harness;
  const pool = () => harness.pool;

  /** Jobs ever added to the queue of the fleet, from the event log of BullMQ. */
  const countQueued = async (): Promise<number> => {
    const redis = new Redis(harness.redisUrl);
    const log = await redis.xrange(`${harness.prefix}:runs.${harness.fleet.name}:events`, '-', '+');
    redis.disconnect();
    return log.filter(([, fields]) => fields.includes('added')).length;
  };

  it('bypasses the queue while slots are free; further runs wait in the queue', async () => {
    const w = worker(2);
    await w.connect();
    await w.waitFor('welcome');
    let assigned = 0;
    let previousCount = 0;
    // Direct dispatch starts after the first check of the queue.
    await until('a run bypasses the queue', async () => {
      previousCount = await countQueued();
      const run = await submit();
      await w.acceptAssignment(run);
      w.append({ run, epoch: 1 }, [], { outcome: { status: 'completed', output: {} } });
      await w.waitFor('append.ack', (appended) => appended.run === run);
      w.send({ type: 'ready', freeSlots: 2, assignmentsReceived: (assigned += 1) });
      // The answer proves that the worker's earlier messages were read: both slots are free again.
      w.send({ type: 'renew', sentAt: assigned, attempts: [] });
      await w.waitFor('renew.ack', ({ sentAt }) => sentAt === assigned);
      return (await countQueued()) === previousCount;
    });
    const runs = [await submit(), await submit()];
    for (const run of runs) await w.acceptAssignment(run);
    expect(await countQueued()).toBe(previousCount);
    const third = await submit();
    // A pending fetch may take it and return it under the next number.
    await until('it waits in the queue', async () => (await countQueued()) > previousCount);
    expect(await statusOf(third)).toMatchObject({ status: 'queued' });
    w.send({ type: 'ready', freeSlots: 1, assignmentsReceived: assigned + 2 });
    for (const run of runs) w.append({ run, epoch: 1 }, [], { outcome: { status: 'completed', output: {} } });
    await w.acceptAssignment(third);
  });

  it('uses the queue if configured', async () => {
    await harness.closeGateway();
    harness.openGateway(false);
    const w = worker();
    await w.connect();
    await w.acceptAssignment(await submit());
    // A job that was not fetched in time is enqueued again.
    expect(await countQueued()).toBeGreaterThan(0);
  });

  it('does not overtake queued runs', async () => {
    const first = [await submit(), await submit(), await submit()];
    await until('they wait in the queue', async () => (await countQueued()) >= 3);
    const w = worker(3);
    await w.connect();
    const last = await submit();
    for (const run of first) await w.acceptAssignment(run);
    expect(w.received.filter(({ type }) => type === 'assign')).toHaveLength(3);
    expect(await statusOf(last)).toMatchObject({ status: 'queued' });
  });

  it('claims from the backlog in order when the queue is empty', async () => {
    const w = worker(8);
    const endedRuns = endAtOnce(w, 8);
    await w.connect();
    await pool().query('UPDATE fleet SET paused_at = now() WHERE id = $1', [harness.fleet.id]);
    const runs: string[] = [];
    for (let count = 0; count < 60; count += 1) runs.push(await submit({ priority: count < 59 ? 0 : 9 }));
    await pool().query('UPDATE fleet SET paused_at = NULL WHERE id = $1', [harness.fleet.id]);
    harness.lifecycle.dispatcher.onBacklog(harness.fleet.id);
    await until('all have arrived', () => endedRuns.length === 60);
    expect(endedRuns[0]).toBe(runs[59]);
    // Concurrent claims arrive in any order, and the sixteen runs enqueued for others may arrive a moment later.
    expect(runs.slice(0, 24)).toEqual(expect.arrayContaining(endedRuns.slice(1, 8)));
    expect(new Set(endedRuns)).toEqual(new Set(runs));
    // The queued runs were for other replicas.
    expect(await countQueued()).toBeLessThan(60);
  });

  it('leaves the backlog to other replicas without a free slot', async () => {
    const w = worker(4);
    const endedRuns = endAtOnce(w, 4);
    await w.connect();
    const runs = Array.from({ length: 200 }, () => harness.newRun());
    let isHeld = false;
    const answer = w.onMessage;
    // After a hundred runs that end at once, the worker ends no more.
    w.onMessage = (message) => {
      isHeld ||= endedRuns.length >= 100;
      if (!isHeld) answer?.(message);
    };
    await Promise.all(runs.map((run) => harness.lifecycle.runs.submit(run)));
    await until('no slot becomes free', () => isHeld);
    const otherWorker = worker(4);
    const rest = endAtOnce(otherWorker, 4);
    await harness.closeGateway();
    harness.openGateway();
    await otherWorker.connect();
    await until('another takes the rest', () => new Set([...endedRuns, ...rest]).size === 200, 20_000);
  });

  it('takes a run that another replica could not place, once its job is in the queue', async () => {
    const { redisUrl, prefix: redisPrefix } = harness;
    const log = memoryLog();
    const otherReplica = createRunLifecycle({
      pool: pool(),
      redisUrl,
      redisPrefix,
      leaseMs: LEASE_MS,
      directDispatch: true,
      log,
      scheduler: new TaskScheduler({ log }),
    });
    // Twice a second they enqueue waiting runs: with a slow worker, all of them.
    await Promise.all([harness.lifecycle.sweeper.stop(), otherReplica.sweeper.stop()]);
    try {
      const runs = Array.from({ length: 100 }, () => harness.newRun());
      await Promise.all(runs.map((run) => otherReplica.runs.submit(run)));
      const w = worker(8);
      const endedRuns = endAtOnce(w, 8);
      await w.connect();
      await until('all have arrived', () => endedRuns.length === 100);
      expect(endedRuns.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
      expect(await countQueued()).toBeLessThan(100);
    } finally {
      await otherReplica.close();
    }
  });

  it('works while Redis is unavailable, also for a run that was queued already', async () => {
    const queuedBefore = await submit();
    await harness.lifecycle.sweeper.stop();
    const { redisUrl } = harness;
    const wire = await startTcpProxy(redisUrl);
    wire.hang();
    harness.redisUrl = wire.url;
    try {
      const w = harness.workerElsewhere(2);
      await w.connect();
      await w.acceptAssignment(queuedBefore);
      await w.acceptAssignment(await submit());
    } finally {
      harness.redisUrl = redisUrl;
      await wire.close();
    }
  });
});
