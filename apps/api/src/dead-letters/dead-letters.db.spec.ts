import {
  deadLetterCodes,
  type DeadLetter,
  type DeadLetterPage,
  type RetryDeadLettersResult,
} from '@pilothouse/contract/api/dead-letters.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, type Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());
afterEach(() => api.context.pool.query('DELETE FROM run'));

const submit = async (fields: object = {}) =>
  (await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }], ...fields } })).body.id;

/** The end of an attempt, as the sweeper or the gateway writes it. */
async function end(run: string, code: ErrorCode, status: 'failed' | 'queued') {
  const error = new PilothouseError(code, `It ended with ${code}`).view();
  const event =
    status === 'failed'
      ? createEvent('run.failed', error.message, { error, step: null }, new Date(), 'error')
      : createEvent('run.requeued', error.message, { error, worker: 'w' }, new Date(), 'warn');
  const write = { run, guard: { from: ['running'] as const }, to: status, events: [event] };
  const written = await api.lifecycle.writer.write(status === 'failed' ? { ...write, error } : write);
  if (!written) throw new Error(`Run ${run} was not running`);
}

async function died(code: ErrorCode, fields: object = {}): Promise<string> {
  const run = await submit(fields);
  await api.startRun(run);
  await end(run, code, 'failed');
  return run;
}

const list = async (query = '', key = api.admin) =>
  (await api.call<DeadLetterPage>('GET', `/v1/dead-letters${query}`, { key })).body;
const retry = (body: object) => api.call<RetryDeadLettersResult & Problem>('POST', '/v1/dead-letters/retry', { body });
const idsOf = ({ items }: Page<DeadLetter>) => items.map(({ run }) => run.id);
const retriesOf = async (run: string) =>
  (await api.call<Page<RunView>>('GET', `/v1/runs?retryOf=${run}`)).body.items.map(({ id }) => id);

test('a run that lost its workers is shown with every attempt and its end', async () => {
  const run = await submit();
  for (const worker of ['w-1', 'w-2']) {
    await api.startRun(run, worker);
    await end(run, 'WORKER_LOST', 'queued');
  }
  await api.startRun(run, 'w-3');
  await end(run, 'POISON_RUN', 'failed');
  const { items, counts } = await list();
  expect(counts).toEqual([{ code: 'POISON_RUN', runs: 1, retried: 0 }]);
  expect(items).toMatchObject([{ run: { id: run, status: 'failed', error: { code: 'POISON_RUN' } }, retry: null }]);
  const ends = items[0]?.attempts.map(({ epoch, worker, error }) => [epoch, worker, error?.code]);
  expect(ends).toEqual([
    [1, 'w-1', 'WORKER_LOST'],
    [2, 'w-2', 'WORKER_LOST'],
    [3, 'w-3', 'POISON_RUN'],
  ]);
  for (const { startedAt, endedAt } of items[0]?.attempts ?? []) {
    expect(Date.parse(endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(startedAt));
  }
});

test('a run that exceeded its queue time has no attempt', async () => {
  const run = await submit({ expiresIn: 60 });
  await api.context.pool.query(`UPDATE run SET queue_expires_at = now() - interval '1 second' WHERE id = $1`, [run]);
  await until('the sweeper ends it', async () => (await list()).items.length === 1);
  expect((await list()).items).toMatchObject([{ run: { id: run, error: { code: 'RUN_EXPIRED' } }, attempts: [] }]);
});

test('runs that failed in a step, were cancelled or completed are no dead letters', async () => {
  for (const code of ['TARGET_NOT_FOUND', 'OUTPUT_INVALID', 'BUDGET_EXCEEDED'] as const) await died(code);
  await api.call('POST', `/v1/runs/${await submit()}/cancel`);
  const completeRun = await submit();
  await api.startRun(completeRun);
  await api.complete(completeRun);
  expect(await list()).toEqual({ items: [], nextCursor: null, counts: [] });
});

test('the list is paginated, filtered by reason and retry state, and counted', async () => {
  const runs: string[] = [];
  for (const code of ['SURFACE_LOST', 'RUN_EXPIRED', 'SURFACE_LOST', 'STEP_STATUS_UNKNOWN', 'SURFACE_LOST'] as const) {
    runs.push(await died(code));
  }
  const { counts } = await list('?limit=1');
  expect(counts).toEqual([
    { code: 'SURFACE_LOST', runs: 3, retried: 0 },
    { code: 'RUN_EXPIRED', runs: 1, retried: 0 },
    { code: 'STEP_STATUS_UNKNOWN', runs: 1, retried: 0 },
  ]);
  const letters = await api.all<DeadLetter>('/v1/dead-letters', 2);
  expect(letters.map(({ run }) => run.id)).toEqual(runs.toReversed());
  expect(idsOf(await list('?errorCode=RUN_EXPIRED,STEP_STATUS_UNKNOWN'))).toEqual([runs[3], runs[1]]);
  const secondRetry = await api.call<RunView>('POST', `/v1/runs/${runs[0]}/retry`);
  const retried = await list('?retried=true');
  expect(retried.items).toMatchObject([{ run: { id: runs[0] }, retry: { id: secondRetry.body.id, status: 'queued' } }]);
  expect(retried.counts[0]).toEqual({ code: 'SURFACE_LOST', runs: 3, retried: 1 });
  expect(idsOf(await list('?retried=false'))).toEqual(runs.slice(1).toReversed());
  expect((await api.call('GET', '/v1/dead-letters?errorCode=TARGET_NOT_FOUND')).status).toBe(400);
  expect(await list('', await api.key('viewer'))).toEqual({ items: [], nextCursor: null, counts: [] });
});

test('runs are filtered by error code', async () => {
  const lost = await died('SURFACE_LOST');
  const target = await died('TARGET_NOT_FOUND');
  await submit();
  const ids = async (query: string) =>
    (await api.call<Page<RunView>>('GET', `/v1/runs?${query}`)).body.items.map(({ id }) => id);
  expect(await ids('error=TARGET_NOT_FOUND')).toEqual([target]);
  expect(await ids('error=TARGET_NOT_FOUND,SURFACE_LOST')).toEqual([target, lost]);
  expect(await ids('error=TARGET_NOT_FOUND&status=completed')).toEqual([]);
  expect((await api.call('GET', '/v1/runs?error=OOPS')).status).toBe(400);
});

test('many are retried, oldest first, each once', async () => {
  const runs = [await died('SURFACE_LOST'), await died('RUN_EXPIRED'), await died('SURFACE_LOST')];
  const first = await retry({ limit: 2 });
  expect(first.status).toBe(202);
  expect(first.body).toMatchObject({ retried: [{ run: runs[0] }, { run: runs[1] }], failed: [], remaining: 1 });
  for (const { run, retry } of first.body.retried) {
    const { body } = await api.call<RunView>('GET', `/v1/runs/${retry}`);
    expect(body).toMatchObject({ status: 'queued', origin: { kind: 'retry', run } });
  }
  expect((await retry({})).body).toMatchObject({ retried: [{ run: runs[2] }], failed: [], remaining: 0 });
  expect((await retry({})).body).toEqual({ retried: [], failed: [], remaining: 0 });
  expect((await retry({ errorCodes: ['RUN_EXPIRED'], includeRetried: true })).body.retried).toMatchObject([
    { run: runs[1] },
  ]);
  expect(await Promise.all(runs.map(async (run) => (await retriesOf(run)).length))).toEqual([1, 2, 1]);
  expect((await list()).counts).toEqual([
    { code: 'SURFACE_LOST', runs: 2, retried: 2 },
    { code: 'RUN_EXPIRED', runs: 1, retried: 1 },
  ]);
});

test('each named dead letter has a result', async () => {
  const [once, twice] = [await died('SURFACE_LOST'), await died('SURFACE_LOST')];
  const stepped = await died('TARGET_NOT_FOUND');
  await died('SURFACE_LOST');
  await retry({ runs: [twice] });
  const { body } = await retry({ runs: [once, twice, stepped] });
  expect(body).toMatchObject({
    retried: [{ run: once }],
    failed: [
      { run: twice, error: { code: 'CONFLICT', message: expect.stringContaining('again') } },
      { run: stepped, error: { code: 'NOT_FOUND' } },
    ],
    remaining: 0,
  });
  const stranger = await api.key('operator');
  const theirs = await api.call<RetryDeadLettersResult>('POST', '/v1/dead-letters/retry', {
    key: stranger,
    body: { runs: [once] },
  });
  expect(theirs.body).toMatchObject({ retried: [], failed: [{ run: once, error: { code: 'NOT_FOUND' } }] });
});

test('concurrent retries create one new run each', async () => {
  const runs = await Promise.all(Array.from({ length: 4 }, () => died('SURFACE_LOST')));
  const answers = await Promise.all(Array.from({ length: 6 }, () => retry({})));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 202));
  expect(answers.flatMap(({ body }) => body.retried.map(({ run }) => run)).sort()).toEqual([...runs].sort());
  for (const run of runs) expect(await retriesOf(run)).toHaveLength(1);
});

test('a failed retry has a reason and does not affect the others', async () => {
  const definition = {
    name: 'sends-a-file',
    inputs: { file: { type: 'file' } },
    steps: [{ action: 'upload', target: { css: 'input' }, file: '{{inputs.file}}' }],
  };
  const content = Buffer.from('x');
  const upload = await api.call<{ id: string }>('POST', '/v1/uploads', { body: { name: 'a.txt', size: 1 } });
  const { rows } = await api.context.pool.query<{ key: string }>('SELECT key FROM upload WHERE id = $1', [
    upload.body.id,
  ]);
  const key = rows[0]?.key ?? '';
  await api.context.objects.store.put(key, content, { contentType: 'text/plain', maxBytes: 1 });
  const body = { definition, inputs: { file: upload.body.id } };
  const { body: run } = await api.call<RunView>('POST', '/v1/runs', { body });
  await api.startRun(run.id);
  await end(run.id, 'SURFACE_LOST', 'failed');
  const otherRun = await died('SURFACE_LOST');
  await api.context.objects.store.delete([key]);
  expect((await retry({})).body).toMatchObject({
    retried: [{ run: otherRun }],
    failed: [{ run: run.id, error: { code: 'VALIDATION_FAILED', message: expect.stringContaining('was not sent') } }],
  });
});

test('every code can end a run and is not caused by a step', () => {
  const steps = ['TARGET_NOT_FOUND', 'CONDITION_NOT_MET', 'STEP_TIMED_OUT', 'RUN_CANCELLED', 'VALIDATION_FAILED'];
  expect(deadLetterCodes.filter((code) => steps.includes(code))).toEqual([]);
  expect(new Set(deadLetterCodes).size).toBe(deadLetterCodes.length);
});
