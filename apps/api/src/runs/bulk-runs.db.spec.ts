import type { CancelRunsResult, Problem, RetryRunsResult, RunView } from '@pilothouse/contract';
import { newId } from '../common/new-id.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const body = { steps: [{ action: 'screenshot' }] };
const submit = async (key = api.admin) => (await api.call<RunView>('POST', '/v1/runs', { key, body })).body.id;
const statusOf = async (run: string) => (await api.call<RunView>('GET', `/v1/runs/${run}`)).body.status;

test('many runs are cancelled, and each failure has its reason', async () => {
  const waiting = await Promise.all(Array.from({ length: 20 }, () => submit()));
  const running = await submit();
  await api.startRun(running);
  const [over = ''] = waiting;
  await api.startRun(over);
  await api.complete(over);
  const stranger = await submit(await api.key('operator'));
  const unknown = newId();
  const runs = [...waiting, running, running.toUpperCase(), stranger, unknown];
  const { status, body: done } = await api.call<CancelRunsResult>('POST', '/v1/runs/batch/cancel', { body: { runs } });
  expect(status).toBe(200);
  expect(done.cancelled.sort()).toEqual(waiting.slice(1).sort());
  expect(done.cancelling).toEqual([running]);
  expect(done.failed.map(({ run, error }) => [run, error.code])).toEqual([
    [over, 'CONFLICT'],
    [stranger, 'NOT_FOUND'],
    [unknown, 'NOT_FOUND'],
  ]);
  for (const run of done.cancelled) expect(await statusOf(run)).toBe('cancelled');
});

test('many runs are submitted again, each once', async () => {
  const ended = await Promise.all([submit(), submit()]);
  await api.call('POST', '/v1/runs/batch/cancel', { body: { runs: ended } });
  const waiting = await submit();
  const runs = [...ended, ...ended, waiting];
  const { status, body: done } = await api.call<RetryRunsResult>('POST', '/v1/runs/batch/retry', { body: { runs } });
  expect(status).toBe(202);
  expect(done.retried.map(({ run }) => run)).toEqual(ended);
  expect(done.failed.map(({ run, error }) => [run, error.code])).toEqual([[waiting, 'CONFLICT']]);
  for (const { run, retry } of done.retried) {
    const { body: made } = await api.call<RunView>('GET', `/v1/runs/${retry}`);
    expect(made).toMatchObject({ retryOf: run, status: 'queued' });
  }
});

test.each([[[]], [['no-id']], [Array.from({ length: 201 }, () => newId())]])(
  'a list of %j is rejected',
  async (runs) => {
    for (const path of ['/v1/runs/batch/cancel', '/v1/runs/batch/retry']) {
      const { status, body: problem } = await api.call<Problem>('POST', path, { body: { runs } });
      expect([status, problem.errors?.[0]?.pointer]).toEqual([400, expect.stringMatching(/^\/runs/)]);
    }
  },
);
