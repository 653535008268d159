import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Statistics } from '@pilothouse/contract/api/project.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { RunStepView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowSummary } from '@pilothouse/contract/api/workflow-stats.schema';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { TestServer } from '@pilothouse/testing/test-server';
import { gapsIn } from './harness/event-sequence.ts';
import { Stack } from './harness/stack.ts';

/* Retries a step with real workers and Chromium; one worker is killed during the backoff. */
describe('a step with `retry`', () => {
  let stack: Stack;
  /** Number of failing responses, and number of requests. */
  let failures = 0;
  let requestCount = 0;
  const service = new TestServer((_request, response) => {
    requestCount += 1;
    response.writeHead(requestCount > failures ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ requestCount }));
  });

  beforeAll(async () => {
    await service.start();
    stack = await Stack.start({ workers: 2 });
  });
  afterAll(async () => {
    await stack?.stop();
    await service.stop();
  });

  const json = <Answer>(path: string, request: Parameters<Stack['client']['json']>[1] = {}) =>
    stack.client.json(path, request) as Promise<Answer>;

  test('keeps its attempt count after the worker is killed during the backoff', async () => {
    failures = 2;
    const url = `${service.origin}/rates`;
    const definition = {
      name: 'read-rates',
      steps: [
        { id: 'start', action: 'navigate', url: `${stack.site.url}/login` },
        { id: 'rates', action: 'http', url, retry: { maxAttempts: 3, backoffSeconds: 4 } },
      ],
      output: '{{steps.rates.value.body}}',
    };
    await json('/v1/workflows?publish=true', { method: 'POST', body: definition });
    const { client } = stack;
    const { id } = await json<{ id: string }>('/v1/workflows/read-rates/runs', { method: 'POST', body: {} });
    await client.waitForEvent(id, ({ type }) => type === 'step.retrying');
    const { worker: holder } = await client.run(id);
    await stack.workers.find(({ name }) => name === holder)?.kill();

    const run = await client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', attempts: 2, output: { requestCount: 3 }, steps: { retries: 2 } });
    expect(run.worker).not.toBe(holder);
    const events = await client.events(id);
    expect(gapsIn(events)).toEqual([]);
    const ofRates = events.filter(({ type, data }) => type.startsWith('step.') && data['id'] === 'rates');
    expect(ofRates.map(({ type, epoch, data }) => [type, epoch, data['path'], data['attempt']])).toEqual([
      ['step.started', 1, 'rates', undefined],
      ['step.retrying', 1, 'rates', 1],
      ['step.started', 2, 'rates', 2],
      ['step.retrying', 2, 'rates', 2],
      ['step.started', 2, 'rates', 3],
      ['step.completed', 2, 'rates', undefined],
    ]);
    expect(requestCount).toBe(3);
    const steps = await json<RunStepView[] | { items: RunStepView[] }>(`/v1/runs/${id}/steps`);
    const rows = Array.isArray(steps) ? steps : steps.items;
    expect(rows).toMatchObject([
      { path: 'start', attempts: 2 - 1, status: 'completed' },
      { path: 'rates', attempts: 3, status: 'completed', error: null },
    ]);
    const { items } = await json<Page<WorkflowSummary>>('/v1/workflows');
    expect(items.find(({ name }) => name === 'read-rates')?.stats).toMatchObject({ finishedRuns: 1, retries: 2 });
    expect((await json<Statistics>('/v1/statistics')).steps.retries).toBe(2);
  });

  test('each step says its outcome and effect, and the run counts the steps that nothing verified', async () => {
    const run = await stack.client.submit({
      steps: [
        { action: 'navigate', url: `${stack.site.url}/login` },
        { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
        { action: 'press', key: 'Tab' },
        { action: 'fill', target: { label: 'Password' }, text: DEMO_ACCOUNT.password },
        { action: 'press', key: 'Enter', expect: { hidden: { label: 'Password' } } },
        { action: 'assert', condition: { hidden: { label: 'Password' } } },
        { action: 'click', target: { role: 'button', name: 'Missing' }, timeout: 1 },
      ],
    });
    const ended = await stack.client.waitForEnd(run.id);
    expect(ended).toMatchObject({ status: 'failed', unverifiedSteps: 1, error: { code: 'TARGET_NOT_FOUND' } });
    const { items } = await json<{ items: RunStepView[] }>(`/v1/runs/${run.id}/steps`);
    expect(items.map(({ action, outcome, effect }) => [action, outcome, effect])).toEqual([
      ['navigate', 'completed', 'confirmed'],
      ['fill', 'completed', 'confirmed'],
      ['press', 'completed', 'unverifiable'],
      ['fill', 'completed', 'confirmed'],
      ['press', 'completed', 'confirmed'],
      ['assert', 'completed', 'none'],
      ['click', 'refused', 'none'],
    ]);
    const results = (await stack.client.events(run.id)).filter(({ data }) => data['outcome'] !== undefined);
    expect(results.map(({ type, data }) => [type, data['effect']])).toEqual(
      items.map(({ outcome, effect }) => [outcome === 'completed' ? 'step.completed' : 'step.failed', effect]),
    );
    const unverified = await json<Page<{ id: string }>>('/v1/runs?unverified=true');
    expect(unverified.items.map(({ id }) => id)).toEqual([run.id]);
  });

  test('the documented example reads a slow page', async () => {
    const file = join(import.meta.dirname, '../../../docs/examples/tides.yaml');
    const definition = parseWorkflow(readFileSync(file, 'utf8'));
    const { id } = await stack.client.submit({
      definition,
      inputs: { site_url: stack.site.url, password: DEMO_ACCOUNT.password },
    });
    const run = await stack.client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', error: null });
    expect((run.output as { tides: unknown[] }).tides).toHaveLength(4);
    const events = await stack.client.events(id);
    const retried = events.filter(({ type }) => type === 'step.retrying');
    expect(retried.length).toBeGreaterThanOrEqual(1);
    expect(retried.every(({ data }) => data['path'] === 'table')).toBe(true);
  });
});
