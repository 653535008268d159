import type { Job } from '@pilothouse/contract/job/job.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { jobsCommand } from './jobs.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  api.handlers.listJobs = () => ({ items: [job], nextCursor: null });
  api.handlers.readJob = () => job;
});
afterAll(() => api.stop());

const job: Job = {
  id: id(7),
  kind: 'export',
  status: 'failed',
  params: { dataset: 'orders' },
  progress: { done: 40, total: 100, unit: 'steps' },
  result: null,
  error: { code: 'BUDGET_EXCEEDED', message: 'Cost budget exceeded', retry: 'no' },
  attempts: 1,
  runAt: '2026-05-04T12:00:00.000Z',
  isCancelRequested: false,
  budgetUsd: 1,
  usedUsd: 0.98,
  usedTokens: 12_000,
  createdBy: { kind: 'key', id: id(1), name: 'ci' },
  createdAt: '2026-05-04T12:00:00.000Z',
  startedAt: '2026-05-04T12:00:01.000Z',
  finishedAt: '2026-05-04T12:03:00.000Z',
};

const run = (...args: string[]) =>
  runCli(jobsCommand, args, { url: api.url, now: new Date('2026-05-04T12:04:00.000Z') });

test('lists jobs', async () => {
  const { code, out } = await run('list', '--kind', 'export', '--status', 'failed');
  expect(code).toBe(0);
  expect(out).toMatch(/export\s+failed\s+40 of 100 steps\s+\$0\.9800 of \$1\s+4 min ago/);
  expect(api.of('listJobs')).toMatchObject([{ query: { kind: ['export'], status: ['failed'] } }]);
});

test('lists the jobs of several pages up to the limit, and says when there are more', async () => {
  api.handlers.listJobs = ({ query: { limit, cursor } }) => {
    const [start, size] = [Number(cursor ?? 0), Number(limit)];
    const items = Array.from({ length: Math.min(size, 250 - start) }, (_, index) => ({
      ...job,
      id: id(start + index),
    }));
    return { items, nextCursor: start + size < 250 ? String(start + size) : null };
  };
  const listed = async (...args: string[]) => {
    const { out, err } = await run('list', '--json', ...args);
    return { length: (JSON.parse(out) as { items: unknown[] }).items.length, err };
  };
  expect(await listed('--limit', '250')).toEqual({ length: 250, err: '' });
  expect(await listed('--limit', '240')).toEqual({
    length: 240,
    err: 'More jobs exist. To list more, use --limit 2400.\n',
  });
  const { out, err } = await run('list');
  expect(out.trimEnd().split('\n')).toHaveLength(21);
  expect(err).toBe('More jobs exist. To list more, use --limit 200.\n');
});

test('finds a job by a prefix of its id', async () => {
  api.handlers.listJobs = ({ query: { cursor } }) =>
    cursor === undefined
      ? { items: [{ ...job, id: 'ab12c3c2-2222-4c3d-8e4f-5a6b7c8d9e0f' }], nextCursor: 'next' }
      : { items: [job], nextCursor: null };
  expect((await run('show', '0197')).out).toContain(id(7));
  expect((await run('show', 'AB12')).out).toContain('ab12c3c2-2222-4c3d-8e4f-5a6b7c8d9e0f');
});

test('shows parameters, usage and error of a job, which is read by its id', async () => {
  const { out } = await run('show', id(7));
  expect(api.requests.map(({ route }) => route)).toEqual(['readJob']);
  expect(out).toMatch(/created\s+4 min ago by ci/);
  expect(out).toMatch(/parameters\s+{"dataset":"orders"}/);
  expect(out).toMatch(/error\s+BUDGET_EXCEEDED: Cost budget exceeded/);
});

test.each<[string, Job]>([
  ['a running job', { ...job, status: 'running', isCancelRequested: true }],
  ['a tuning job that waits for a job runner', { ...job, kind: 'tune', status: 'queued', isCancelRequested: true }],
])('%s is cancelling after the request', async (_, cancelled) => {
  api.handlers.listJobs = () => ({ items: [cancelled], nextCursor: null });
  api.handlers.readJob = () => cancelled;
  expect((await run('list')).out).toMatch(/(export|tune)\s+cancelling\s+40 of 100 steps/);
  expect((await run('show', id(7))).out).toMatch(/job\s+\S+\s+cancelling/);
});

test('cancels a job', async () => {
  api.handlers.cancelJob = () => ({ ...job, status: 'running', isCancelRequested: true });
  expect((await run('cancel', 'last')).out).toContain('stops at the next heartbeat of its job runner');
  expect(api.of('cancelJob')).toMatchObject([{ params: { job: id(7) } }]);
});

test('retries a job with a new budget', async () => {
  api.handlers.retryJob = () => ({ ...job, status: 'queued', error: null });
  expect((await run('retry', 'last', '--budget-usd', '5')).out).toContain('queued');
  expect(api.of('retryJob')).toMatchObject([{ params: { job: id(7) }, body: { budgetUsd: 5 } }]);
});

test.each([
  [['show', 'feed'], 'No job with id feed….'],
  [['show', 'job'], 'Invalid job id "job". Use the full id, at least its first 4 characters, or "last".'],
  [['retry', 'last', '--budget-usd', 'much'], 'Use US dollars, e.g. 2.50.'],
])('rejects %j', async (args, message) => {
  const { code, err } = await run(...args);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});
