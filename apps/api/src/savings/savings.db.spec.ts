import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const page = { url: 'https://shop.test/', title: 'Shop', height: 900 };
const ref = { step: 0, path: 'goal', id: 'goal' };

/** Events of an agent that clicked once after one model call. */
function clickEvents(): EventDraft[] {
  const now = new Date();
  const action = { action: 'click' as const, target: { elementIndex: 1 } };
  const prompt = { name: 'act-text', version: 1 };
  const turn = { ...ref, turn: 1, thought: '', plannedActions: ['Go'], prompt, page };
  const completed = { outcome: 'completed' as const, effect: 'confirmed' as const };
  const locators = [{ css: '#go' }];
  const acted = { durationMs: 1, error: null, page: null, pageBefore: page, locators, irreversibleEffect: null };
  const end = { ...completed, tier: 'text' as const, durationMs: 1, located: null, value: null, page };
  return [
    createEvent('agent.turn', 'Go', turn, now),
    createEvent('agent.action_started', 'Go', { ...ref, turn: 1, sequence: 1, action, title: 'Go' }, now),
    createEvent('agent.action_completed', 'Go', { ...ref, turn: 1, sequence: 1, ...acted, ...completed }, now),
    createEvent('step.completed', 'Goal', { ...ref, ...end }, now),
  ];
}

const modelUsage = { calls: 1, tokens: 1000, usd: 0.25 };

async function goalRun(goal: string, usage = modelUsage): Promise<string> {
  const definition = { name: 'buy', steps: [{ id: 'goal', action: 'goal', goal }] };
  const { body: run } = await api.call<RunView>('POST', '/v1/runs', { body: { definition } });
  await api.startRun(run.id);
  await api.lifecycle.writer.write({
    run: run.id,
    guard: { from: ['running'] },
    events: clickEvents(),
    modelUsage: usage,
  });
  await api.complete(run.id);
  return run.id;
}

const listGoals = async (query = '') =>
  (await api.call<{ items: RepeatedGoal[] }>('GET', `/v1/savings/repeated-goals${query}`)).body.items;
const readSavings = async () => (await api.call<Savings>('GET', '/v1/savings')).body;

test('a goal that completed three times is offered, compiled and measured', async () => {
  for (const goal of ['Buy 3 ropes', 'Buy  12 ropes.', 'buy 7 ropes']) await goalRun(goal);
  const [offer] = await until('the goal is offered', async () => {
    const goals = await listGoals();
    return goals.length > 0 && goals;
  });
  expect(offer).toMatchObject({ site: 'shop.test', count: 3, perRun: { tokens: 1000, usd: 0.25 } });
  expect(await listGoals('?minRuns=4')).toEqual([]);
  expect(await readSavings()).toMatchObject({ total: { runs: 0, tokens: 0, usd: 0 } });

  const change = async (action: string, key = api.admin) =>
    (await api.call('POST', `/v1/savings/repeated-goals/${offer?.id}/${action}`, { key })).status;
  expect(await change('dismiss', await api.key('viewer'))).toBe(403);
  const unknown = await api.call<Problem>('POST', `/v1/savings/repeated-goals/${'0'.repeat(64)}/dismiss`);
  expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringMatching(/^Goal 0{64} not found\. List/)]);
  expect([await change('dismiss'), await listGoals()]).toEqual([204, []]);
  expect(await listGoals('?dismissed=true')).toHaveLength(1);
  expect([await change('restore'), await change('restore'), (await listGoals()).length]).toEqual([204, 404, 1]);

  const compiled = await api.call('POST', `/v1/runs/${offer?.best.run}/compile`, { body: {} });
  expect([compiled.status, await listGoals()]).toEqual([200, []]);

  const { body: run } = await api.call<RunView>('POST', '/v1/workflows/buy/runs', { body: { version: 1 } });
  await api.startRun(run.id);
  await api.complete(run.id);
  const savings = await until('the run is measured', async () => {
    const read = await readSavings();
    return read.total.runs > 0 && read;
  });
  expect(savings).toMatchObject({
    total: { runs: 1, tokens: 1000, usd: 0.25, unpricedRuns: 0 },
    mechanisms: [{ count: 0 }, { mechanism: 'compile', count: 1, tokens: 1000 }, { count: 0 }],
    workflows: [{ workflow: 'buy', tokens: 1000 }],
    days: [{ mechanism: 'compile', runs: 1 }],
  });
  const metrics = await (await api.fetch('GET', '/metrics')).text();
  expect(metrics).toMatch(/pilothouse_saved_tokens_total\{[^}]*mechanism="compile"[^}]*\} 1000/);
});

test('runs without a known price have no price', async () => {
  const unpriced = { calls: 1, tokens: 500, usd: 0, unpricedCalls: 1 };
  for (let run = 0; run < 3; run += 1) await goalRun('Read the mail', unpriced);
  const [offer] = await until('the goal is offered', async () => {
    const goals = await listGoals();
    return goals.length > 0 && goals;
  });
  expect(offer).toMatchObject({ perRun: { tokens: 500, usd: null }, perMonth: { usd: null } });
});

test.each([
  ['?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'is not before'],
  ['?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'longer than 366 days'],
  ['?from=yesterday', ''],
])('the period %s is rejected', async (query, detail) => {
  const { status, body } = await api.call<Problem>('GET', `/v1/savings${query}`);
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, 'query/from']);
  expect(body.errors?.[0]?.detail).toContain(detail);
});

test('a compilation that is not recorded is still saved and verified', async () => {
  const { pool } = api.context;
  const run = await goalRun('Send 2 letters');
  await pool.query('ALTER TABLE compilation RENAME TO compilation_away');
  const compiled = await api
    .call<CompileRunResult>('POST', `/v1/runs/${run}/compile`, { body: { name: 'letters', verify: true } })
    .finally(() => pool.query('ALTER TABLE compilation_away RENAME TO compilation'));
  expect([compiled.status, compiled.body.workflow.name]).toEqual([200, 'letters']);
  expect(compiled.body.verification?.run).toEqual(expect.any(String));
});
