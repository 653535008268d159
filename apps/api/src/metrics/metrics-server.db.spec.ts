import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { jobKinds } from '@pilothouse/contract/job/job.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { createPool, FleetNames, FleetQueueStore, readBackgroundQueueStats, type Pool } from '@pilothouse/infra-db';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { CachedRead } from './cached-read.ts';
import { declareBackgroundQueueMetrics } from './background-queue.metrics.ts';
import { recordWorkerCondition } from './worker-conditions.ts';
import { recordOutOfMemory } from './oom-condition.ts';
import { instrumentObjectStore } from './object-store.metrics.ts';
import { declareQueueMetrics } from './queue.metrics.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const fleet = 'default';
const submit = async () => {
  const { body } = await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } });
  return body.id;
};
const figures = async () => {
  const { body } = await api.call<string>('GET', '/metrics', { key: null });
  return new Map(
    body.split('\n').flatMap((line) => {
      const separatorIndex = line.lastIndexOf(' ');
      return line.startsWith('#')
        ? []
        : [[line.slice(0, separatorIndex), Number(line.slice(separatorIndex + 1))] as const];
    }),
  );
};

describe('run metrics', () => {
  const requeue = async (run: string, code: 'WORKER_LOST' | 'RUN_HANDED_BACK') => {
    const error = new PilothouseError(code, 'The spec says so').view();
    const events = [createEvent('run.requeued', error.message, { error, worker: 'w' }, new Date(), 'warn')];
    const { writer } = api.lifecycle;
    expect(
      await writer.write({ run, guard: { from: ['running'] }, to: 'queued', countsAsLost: true, events }),
    ).not.toBeNull();
  };

  test('are counted with the write: waits, recoveries, ends with their codes', async () => {
    const { writer } = api.lifecycle;
    const run = await submit();
    await api.startRun(run);
    await requeue(run, 'WORKER_LOST');
    await api.startRun(run);
    const error = new PilothouseError('TARGET_NOT_FOUND', 'There is no button').view();
    const events = [createEvent('run.failed', error.message, { error, step: 0 }, new Date(), 'error')];
    await writer.write({ run, guard: { from: ['running'] }, to: 'failed', error, events });
    // A run that was never claimed before its cancellation has no duration.
    await api.call('POST', `/v1/runs/${await submit()}/cancel`);
    const now = await figures();
    const figureOf = (name: string, labels: string) => now.get(`pilothouse_${name}{${labels}}`);
    expect(figureOf('run_queue_wait_seconds_count', 'fleet="default"')).toBe(2);
    expect(figureOf('run_recoveries_total', 'fleet="default"')).toBe(1);
    expect(figureOf('runs_requeued_total', 'fleet="default",code="WORKER_LOST"')).toBe(1);
    expect(figureOf('runs_requeued_total', 'fleet="default",code="RUN_HANDED_BACK"')).toBe(0);
    expect(figureOf('runs_ended_total', 'fleet="default",status="failed",code="TARGET_NOT_FOUND"')).toBe(1);
    expect(figureOf('runs_ended_total', 'fleet="default",status="cancelled",code="none"')).toBe(1);
    expect(figureOf('run_seconds_count', 'fleet="default",status="failed"')).toBe(1);
    expect(figureOf('run_seconds_count', 'fleet="default",status="cancelled"')).toBeUndefined();
  });

  test('measure the lag from the first event of a batch, never below zero', async () => {
    const published = 'pilothouse_event_lag_seconds_count{stage="published"}';
    const countSince = (count: number, since: Map<string, number>) =>
      until(`readers have heard of ${count}`, async () => {
        const some = await figures();
        return (some.get(published) ?? 0) - (since.get(published) ?? 0) === count && some;
      });
    const start = await figures();
    const run = await submit();
    await api.startRun(run);
    // The intent created with the claim.
    const previousCounts = await countSince(1, start);
    const started = (step: number, seconds: number) => ({
      ...createEvent(
        'step.started',
        'x',
        { step, id: null, action: 'screenshot', title: 'x', summary: 'x' },
        new Date(seconds),
      ),
      n: step + 2,
    });
    const guard = { from: ['running'] as const };
    await api.lifecycle.writer.write({ run, guard, events: [started(0, Date.now() - 7_000), started(1, Date.now())] });
    // A worker whose clock is ahead.
    await api.lifecycle.writer.write({ run, guard, events: [started(2, Date.now() + 3_600_000)] });
    const now = await countSince(2, previousCounts);
    for (const stage of ['durable', 'published']) {
      const rose = (metric: string) =>
        (now.get(`pilothouse_event_lag_seconds_${metric}{stage="${stage}"}`) ?? 0) -
        (previousCounts.get(`pilothouse_event_lag_seconds_${metric}{stage="${stage}"}`) ?? 0);
      expect(rose('count')).toBe(2);
      expect(rose('sum')).toBeGreaterThanOrEqual(7);
      expect(rose('sum')).toBeLessThan(30);
    }
    await api.complete(run);
  });
});

const fleetQueues = (pool: Pool, cacheMs?: number) =>
  new CachedRead((timeoutMs) => new FleetQueueStore(pool).readStats(timeoutMs), cacheMs);

describe('queue metrics', () => {
  test('query PostgreSQL only after their cache time', async () => {
    const [cached, expired] = [fleetQueues(api.context.pool, 600_000), fleetQueues(api.context.pool, 1)];
    const waiting = async (queues: ReturnType<typeof fleetQueues>) =>
      (await queues.read())?.find((stats) => stats.fleet === fleet)?.admitted ?? 0;
    const previous = await waiting(cached);
    expect(await waiting(expired)).toBe(previous);
    await submit();
    await until('they are read again', async () => (await waiting(expired)) === previous + 1);
    expect(await waiting(cached)).toBe(previous);
  });

  test('share one query between concurrent scrapes', async () => {
    const queues = fleetQueues(api.context.pool, 0);
    const [firstStats, secondStats] = await Promise.all([queues.read(), queues.read()]);
    expect(firstStats).not.toBeNull();
    expect(secondStats).toBe(firstStats);
  });

  test('do not delay a scrape when the database hangs: they are absent, and a gauge reports it', async () => {
    const client = await api.context.pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE run IN ACCESS EXCLUSIVE MODE');
    const metrics = createMetrics({ prefix: 'p' });
    declareQueueMetrics(metrics, fleetQueues(api.context.pool), () => undefined);
    // The table stays locked until the scrape has its answer.
    const { body } = await metrics.read();
    await client.query('ROLLBACK');
    client.release();
    expect(body).toMatch(/^p_database_up 0$/m);
    expect(body).not.toMatch(/^p_queue_runs\{/m);
  });

  test('do not delay a scrape when the database is unavailable', async () => {
    const pool = createPool({ databaseUrl: 'postgresql://x@127.0.0.1:1/x', name: 'spec', log: memoryLog() });
    expect(await fleetQueues(pool).read()).toBeNull();
    const names = new FleetNames(pool);
    names.withName(randomUUID(), () => {
      throw new Error('The name is unknown');
    });
    await pool.end();
  });
});

describe('metrics of background jobs', () => {
  test('exist for each kind while no job runner runs', async () => {
    const now = await figures();
    for (const kind of jobKinds) {
      expect(now.get(`pilothouse_learning_jobs{kind="${kind}",status="queued"}`)).toBe(0);
      expect(now.get(`pilothouse_learning_queue_age_seconds{kind="${kind}"}`)).toBe(0);
    }
  });

  test('report a job that no job runner takes, and are absent without the database', async () => {
    const { pool } = api.context;
    await pool.query(
      `INSERT INTO job (id, project_id, kind, status, params, run_at)
       SELECT $1, id, 'export', 'queued', '{}', now() - interval '700 seconds' FROM project WHERE slug = 'default'`,
      [randomUUID()],
    );
    const read = async (queue: Parameters<typeof declareBackgroundQueueMetrics>[1]) => {
      const metrics = createMetrics({ prefix: 'p' });
      declareBackgroundQueueMetrics(metrics, queue);
      return (await metrics.read()).body;
    };
    const body = await read(new CachedRead((timeoutMs) => readBackgroundQueueStats(pool, timeoutMs)));
    expect(body).toMatch(/^p_learning_jobs\{kind="export",status="queued"\} 1$/m);
    expect(body).toMatch(/^p_learning_jobs\{kind="export",status="running"\} 0$/m);
    expect(Number(/^p_learning_queue_age_seconds\{kind="export"\} (.+)$/m.exec(body)?.[1])).toBeGreaterThanOrEqual(700);
    expect(await read({ read: () => Promise.resolve(null) })).not.toMatch(/^p_learning_/m);
  });
});

test('a killed child process of a worker becomes a condition of its fleet', async () => {
  const killed = recordOutOfMemory(api.context.pool, memoryLog());
  killed(fleet, 'w-1', 1);
  const conditions = async () => (await api.call<FleetView>('GET', `/v1/fleets/${fleet}`)).body.conditions;
  await until('it is shown', async () => (await conditions()).length === 1);
  killed(fleet, 'w-2', 2);
  const sample = await until('it is seen again', async () => {
    const [condition] = await conditions();
    return condition?.count === 3 && condition;
  });
  expect(sample).toMatchObject({
    reason: 'OutOfMemory',
    message: expect.stringContaining('2 processes of worker w-2'),
  });
});

test('a worker that does not enforce egress rules becomes a condition of its fleet, once a minute', async () => {
  let now = 0;
  const connected = recordWorkerCondition('EgressNotEnforced', api.context.pool, memoryLog(), () => now);
  const condition = async () =>
    (await api.call<FleetView>('GET', `/v1/fleets/${fleet}`)).body.conditions.find(
      ({ reason }) => reason === 'EgressNotEnforced',
    );
  connected(fleet, 'w-1');
  connected(fleet, 'w-1');
  const first = await until('it is shown', condition);
  expect(first).toMatchObject({ count: 1, message: expect.stringContaining('reach DNS') });
  now = 60_000;
  connected(fleet, 'w-2');
  const second = await until('it is seen again', async () => {
    const current = await condition();
    return current?.message.includes('w-2') && current;
  });
  // It continues: the count is not that of the minutes.
  expect(second).toMatchObject({ count: 1 });
});

test('object store operations are measured, and a missing object is no failure', async () => {
  const metrics = createMetrics({ prefix: 'p' });
  const store = instrumentObjectStore(api.context.objects.store, metrics);
  const body = Buffer.from('hello');
  await store.put('specs/a', body, { contentType: 'text/plain', maxBytes: 10 });
  await expect(store.get('specs/missing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(store.put('../out', body, { contentType: 'text/plain', maxBytes: 10 })).rejects.toThrow();
  const keys: string[] = [];
  for await (const key of store.list('specs/')) keys.push(key);
  expect(keys).toEqual(['specs/a']);
  const broken = instrumentObjectStore(
    { ...store, stat: () => Promise.reject(new PilothouseError('UNAVAILABLE', 'Away')) },
    createMetrics({ prefix: 'q' }),
  );
  await expect(broken.stat('specs/a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const text = (await metrics.read()).body;
  const count = (operation: string, result: string) =>
    new RegExp(
      `^p_object_store_request_seconds_count\\{operation="${operation}",result="${result}"\\} (\\d+)$`,
      'm',
    ).exec(text)?.[1];
  expect([count('put', 'success'), count('get', 'success'), count('list', 'success')]).toEqual(['2', '1', '1']);
  expect(count('get', 'failed')).toBeUndefined();
});
