import type { CancelRunsResult, RetryRunsResult } from '@pilothouse/contract/api/runs.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
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
  const { status, body: result } = await api.call<CancelRunsResult>('POST', '/v1/runs/batch/cancel', {
    body: { runs },
  });
  expect(status).toBe(200);
  expect(result.cancelled.sort()).toEqual(waiting.slice(1).sort());
  expect(result.cancelling).toEqual([running]);
  expect(result.failed.map(({ run, error }) => [run, error.code])).toEqual([
    [over, 'CONFLICT'],
    [stranger, 'NOT_FOUND'],
    [unknown, 'NOT_FOUND'],
  ]);
  for (const run of result.cancelled) expect(await statusOf(run)).toBe('cancelled');
});

test('many runs are submitted again, each once', async () => {
  const endedRuns = await Promise.all([submit(), submit()]);
  await api.call('POST', '/v1/runs/batch/cancel', { body: { runs: endedRuns } });
  const waiting = await submit();
  const runs = [...endedRuns, ...endedRuns, waiting];
  const { status, body: result } = await api.call<RetryRunsResult>('POST', '/v1/runs/batch/retry', { body: { runs } });
  expect(status).toBe(202);
  expect(result.retried.map(({ run }) => run)).toEqual(endedRuns);
  expect(result.failed.map(({ run, error }) => [run, error.code])).toEqual([[waiting, 'CONFLICT']]);
  for (const { run, retry } of result.retried) {
    const { body: retriedRun } = await api.call<RunView>('GET', `/v1/runs/${retry}`);
    expect(retriedRun).toMatchObject({ origin: { kind: 'retry', run }, status: 'queued' });
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
