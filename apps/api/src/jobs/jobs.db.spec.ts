import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { JobLeases } from '@pilothouse/infra-db';
import { BackgroundWakeups } from '@pilothouse/infra-queue';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let project: string;
let slug: string;
let leases: JobLeases;

beforeAll(async () => {
  api = await startApi();
  const { rows } = await api.context.pool.query<{ id: string; slug: string }>('SELECT id, slug FROM project');
  ({ id: project, slug } = rows[0]!);
  leases = new JobLeases(api.context.pool);
});
beforeEach(() => api.context.pool.query('DELETE FROM job'));
afterAll(() => api.close());

async function addJob(kind: Job['kind'] = 'export'): Promise<string> {
  const { id } = await api.context.stores.jobs.insert({ id: randomUUID(), project, kind, params: { a: 1 } });
  return id;
}

const claim = async () => (await leases.claim({ kinds: ['export'], owner: 'spec', leaseMs: 60_000 }))!;

test('lists and reads the jobs of the project', async () => {
  const [first, second] = [await addJob(), await addJob('tune')];
  const { body } = await api.call<Page<Job>>('GET', '/v1/learning/jobs');
  expect(body.items.map(({ id }) => id)).toEqual([second, first]);
  const tuning = await api.call<Page<Job>>('GET', '/v1/learning/jobs?kind=tune&status=queued,running');
  expect(tuning.body.items.map(({ id }) => id)).toEqual([second]);
  expect(await api.call('GET', `/v1/learning/jobs/${first}`)).toMatchObject({
    status: 200,
    body: { id: first, kind: 'export', status: 'queued', params: { a: 1 }, attempts: 0 },
  });
  const stranger = await api.key('admin');
  expect(await api.call('GET', `/v1/learning/jobs/${first}`, { key: stranger })).toMatchObject({ status: 404 });
});

test('says that no job runner runs while a due job waits and none executes jobs', async () => {
  const [due, later] = [await addJob(), await addJob('tune')];
  await api.context.pool.query(`UPDATE job SET run_at = now() + interval '1 hour' WHERE id = $1`, [later]);
  const conditionOf = async (id: string) => (await api.call<Job>('GET', `/v1/learning/jobs/${id}`)).body.condition;
  expect(await conditionOf(due)).toBeUndefined();
  await api.context.pool.query(`UPDATE job SET run_at = now() - interval '40 s' WHERE id = $1`, [due]);
  const condition = await until('it is reported', () => conditionOf(due), 15_000);
  expect(condition).toMatchObject({
    reason: 'NoJobRunner',
    message: expect.stringMatching(/waited for \d+ s.*jobs\.replicas/),
  });
  expect(await conditionOf(later)).toBeUndefined();
  const { body } = await api.call<Page<Job>>('GET', '/v1/learning/jobs');
  const reasons = body.items.map((job) => [job.id, job.condition?.reason]);
  expect(Object.fromEntries(reasons)).toEqual({ [due]: 'NoJobRunner', [later]: undefined });
  // A job runner that is busy with another job runs.
  await addJob();
  await api.context.pool.query(`UPDATE job SET run_at = now() - interval '90 s' WHERE id <> $1`, [due]);
  await claim();
  await until('it has ended', async () => (await conditionOf(due)) === undefined, 15_000);
});

test('cancels a queued job once', async () => {
  const id = await addJob();
  expect(await api.call('POST', `/v1/learning/jobs/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'cancelled' },
  });
  expect(await api.call<Problem>('POST', `/v1/learning/jobs/${id}/cancel`)).toMatchObject({
    status: 409,
    body: { detail: 'The job has ended: it is cancelled.' },
  });
  expect(await api.call('POST', `/v1/learning/jobs/${randomUUID()}/cancel`)).toMatchObject({ status: 404 });
});

test('requests the cancellation of a running job', async () => {
  const id = await addJob();
  await claim();
  expect(await api.call('POST', `/v1/learning/jobs/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'running', isCancelRequested: true },
  });
});

test('retries a failed job with a new budget, and wakes a job runner', async () => {
  const { redisUrl, redisPrefix: prefix } = api.context.config;
  let wakeupCount = 0;
  const wakeups = new BackgroundWakeups({
    ...{ redisUrl, prefix, log: memoryLog(), token: 'spec', hasFreeSlot: () => true },
    onWake: () => (wakeupCount += 1),
  });
  try {
    const id = await addJob();
    expect(await api.call<Problem>('POST', `/v1/learning/jobs/${id}/retry`)).toMatchObject({
      status: 409,
      body: { detail: 'The job is queued. Only failed and cancelled jobs are retried.' },
    });
    await leases.fail(await claim(), { code: 'BUDGET_EXCEEDED', message: 'used up', retry: 'no' }, null);
    expect(await api.call('POST', `/v1/learning/jobs/${id}/retry`, { body: { budgetUsd: 2.5 } })).toMatchObject({
      status: 200,
      body: { status: 'queued', error: null, budgetUsd: 2.5 },
    });
    await until('the job runner is woken', () => wakeupCount === 1);
    expect(await api.call('POST', `/v1/learning/jobs/${id}/retry`, { body: { budgetUsd: -1 } })).toMatchObject({
      status: 400,
    });
  } finally {
    await wakeups.close();
  }
});

test('does not retry a tuning job that ended at its tuner', async () => {
  const id = await addJob('tune');
  const lease = (await leases.claim({ kinds: ['tune'], owner: 'spec', leaseMs: 60_000 }))!;
  await leases.progress(lease, { done: 1, total: null, unit: 'steps' });
  await leases.fail(lease, { code: 'TUNING_FAILED', message: 'Line 2 has no messages', retry: 'no' }, null);
  expect(await api.call<Problem>('POST', `/v1/learning/jobs/${id}/retry`)).toMatchObject({
    status: 409,
    body: { detail: 'The tuning job ended at its tuner. Start a new tuning job.' },
  });
  expect(await api.call('GET', `/v1/learning/jobs/${id}`)).toMatchObject({ body: { status: 'failed' } });
});

test('a viewer may read jobs, and may not cancel or retry them', async () => {
  const id = await addJob();
  const viewer = await api.key('viewer', slug);
  expect(await api.call('GET', `/v1/learning/jobs/${id}`, { key: viewer })).toMatchObject({ status: 200 });
  for (const action of ['cancel', 'retry'])
    expect(await api.call('POST', `/v1/learning/jobs/${id}/${action}`, { key: viewer })).toMatchObject({ status: 403 });
});

test.each(['build_dataset', 'export', 'tune'] as const)(
  'an operator may not cancel or retry a %s job',
  async (kind) => {
    const id = await addJob(kind);
    const operator = await api.key('operator', slug);
    for (const action of ['cancel', 'retry'])
      expect(await api.call<Problem>('POST', `/v1/learning/jobs/${id}/${action}`, { key: operator })).toMatchObject({
        status: 403,
        body: { detail: `Only an admin can ${action} this job. Ask an admin.` },
      });
    expect(await api.call('GET', `/v1/learning/jobs/${id}`)).toMatchObject({ body: { status: 'queued' } });
  },
);

test.each(['score', 'evaluate'] as const)('an operator may cancel and retry a %s job', async (kind) => {
  const id = await addJob(kind);
  const operator = await api.key('operator', slug);
  for (const action of ['cancel', 'retry'])
    expect(await api.call('POST', `/v1/learning/jobs/${id}/${action}`, { key: operator })).toMatchObject({
      status: 200,
    });
});

describe('the stream of a job', () => {
  const open = (id: string, headers: Record<string, string> = {}) =>
    api.fetch('GET', `/v1/learning/jobs/${id}/events`, { headers });

  async function* eventsOf(response: Response): AsyncGenerator<{ id: string; job: Job }> {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (id !== undefined && data !== undefined) yield { id, job: JSON.parse(data) as Job };
      }
    }
  }

  const next = async (events: AsyncGenerator<{ id: string; job: Job }>) => {
    const { value, done } = await events.next();
    if (done === true) throw new Error('The stream has ended');
    return value as { id: string; job: Job };
  };

  test('sends the job as it is, then each change, and ends with the job', async () => {
    const id = await addJob();
    const response = await open(id);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(response);
    expect((await next(events)).job).toMatchObject({ id, status: 'queued', progress: null });
    const lease = await claim();
    expect((await next(events)).job).toMatchObject({ status: 'running', attempts: 1 });
    await leases.progress(lease, { done: 3, total: 10, unit: 'steps' });
    expect((await next(events)).job).toMatchObject({ progress: { done: 3, total: 10, unit: 'steps' } });
    await leases.complete(lease, { rows: 3 });
    const { body } = await api.call<Job>('GET', `/v1/learning/jobs/${id}`);
    expect((await next(events)).job).toEqual(body);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const again = await (await open(id)).text();
    expect(again).toMatch(/^retry: 3000\n\nid: .+\ndata: .+\n\nevent: end\ndata: \{\}\n\n$/);
  });

  test('continues from the state that the client has', async () => {
    const id = await addJob();
    const first = await next(eventsOf(await open(id)));
    const events = eventsOf(await open(id, { 'last-event-id': first.id }));
    const lease = await claim();
    const running = await next(events);
    expect(running.job.status).toBe('running');
    await leases.complete(lease, null);
    const last = await next(eventsOf(await open(id, { 'last-event-id': running.id })));
    expect(last.job.status).toBe('completed');
    expect((await open(id, { 'last-event-id': last.id })).status).toBe(204);
  });

  test('may be read by those who may read the job', async () => {
    const id = await addJob();
    const stream = (key: string) => api.fetch('GET', `/v1/learning/jobs/${id}/events`, { key });
    const response = await stream(await api.key('viewer', slug));
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect((await stream(await api.key('admin'))).status).toBe(404);
  });
});
