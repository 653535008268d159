import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const goal = { id: 'goal', action: 'goal', goal: 'Open the shop' };
const definition = (fields: object = {}) => ({ name: 'shop', steps: [goal], ...fields });

/** Events of an agent that clicked once. @param guard kind of irreversible effect */
function clickEvents(guard: 'pay' | null = null): EventDraft[] {
  const ref = { step: 0, path: 'goal', id: 'goal' };
  const now = new Date();
  const observation = { url: 'https://shop.test/', title: 'Shop', height: 900 };
  const move = { action: 'click' as const, target: { elementIndex: 1 } };
  const acted = {
    sequence: 1,
    durationMs: 1,
    error: null,
    page: null,
    pageBefore: observation,
    locators: [{ css: '#go' }],
    outcome: 'completed' as const,
    effect: 'confirmed' as const,
    irreversibleEffect: guard,
  };
  const end = {
    outcome: 'completed' as const,
    effect: 'confirmed' as const,
    tier: 'text' as const,
    durationMs: 1,
    located: null,
    value: null,
    page: observation,
  };
  return [
    createEvent('agent.action_started', 'Go', { ...ref, turn: 1, sequence: 1, action: move, title: 'Go' }, now),
    createEvent('agent.action_completed', 'Go', { ...ref, turn: 1, ...acted }, now),
    createEvent('step.completed', 'Goal', { ...ref, ...end }, now),
  ];
}

async function completedRun(body: object, events: EventDraft[] = clickEvents()): Promise<string> {
  const { status, body: run } = await api.call<RunView>('POST', '/v1/runs', { body });
  expect(status).toBe(202);
  await api.startRun(run.id);
  await api.lifecycle.writer.write({ run: run.id, guard: { from: ['running'] }, events });
  await api.complete(run.id);
  return run.id;
}
const compile = (run: string, body: object = {}, key?: string) =>
  api.call<CompileRunResult & Problem>('POST', `/v1/runs/${run}/compile`, { body, ...(key !== undefined && { key }) });
const runs = async () => (await api.call<{ items: RunView[] }>('GET', '/v1/runs?limit=200')).body.items.length;

test('is stored as a draft workflow; a repeated request adds no version', async () => {
  const run = await completedRun({ definition: definition() });
  const previousRuns = await runs();
  const { status, body } = await compile(run);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    workflow: {
      name: 'shop',
      version: 1,
      published: false,
      definition: { steps: [{ action: 'click', target: { css: '#go' } }] },
    },
    notes: [],
    verification: null,
  });
  expect((await compile(run)).body.workflow.version).toBe(1);
  expect(
    (await compile(await completedRun({ definition: definition() }, clickEvents('pay')))).body.workflow.version,
  ).toBe(2);
  expect((await compile(run, { name: 'other' })).body.workflow).toMatchObject({ name: 'other', version: 1 });
  expect(await runs()).toBe(previousRuns + 1);
});

test('is verified by one run with the same inputs; secrets are supplied again', async () => {
  const inputs = { item: { type: 'string' }, token: { type: 'string', secret: true } };
  const inputValues = { item: 'rope', token: 'a-secret-of-this-spec' };
  const run = await completedRun({ definition: definition({ name: 'verified', inputs }), inputs: inputValues });
  expect((await compile(run, { verify: true })).body.verification).toEqual({
    run: null,
    reason: expect.stringContaining('Set token'),
    proposal: expect.any(String),
  });
  const { body } = await compile(run, { verify: true, inputs: { token: inputValues.token } });
  const { body: verification } = await api.call<RunView>('GET', `/v1/runs/${body.verification?.run ?? ''}`);
  expect(verification).toMatchObject({
    origin: { kind: 'replay', run, actor: { kind: 'key' } },
    status: 'queued',
    inputs: { item: 'rope' },
    workflow: { name: 'verified', version: 1 },
  });
  expect(JSON.stringify(body)).not.toContain(inputValues.token);
});

test('is verified with the secret of the project that the run named', async () => {
  await api.call('PUT', '/v1/secrets/shop-token', { body: { value: 'x' } });
  const inputs = { token: { type: 'string', secret: true } };
  const reference = { token: { secret: 'shop-token' } };
  const run = await completedRun({ definition: definition({ name: 'named', inputs }), inputs: reference });
  const { body } = await compile(run, { verify: true });
  const { body: verification } = await api.call<RunView>('GET', `/v1/runs/${body.verification?.run ?? ''}`);
  expect(verification).toMatchObject({ origin: { kind: 'replay', run }, inputs: reference });
});

test('is not verified if a step must not happen twice, or the run had its own allowed hosts', async () => {
  const once = await completedRun({ definition: definition({ name: 'once' }) }, clickEvents('pay'));
  const previousRuns = await runs();
  const { body } = await compile(once, { verify: true });
  expect(body.workflow.definition.steps).toMatchObject([{ idempotent: false }]);
  expect(body.verification).toMatchObject({
    run: null,
    reason: expect.stringContaining('/steps/0 is not idempotent'),
  });
  const boundRun = await completedRun({ definition: definition({ name: 'bound' }), egress: { allow: ['shop.test'] } });
  expect((await compile(boundRun, { verify: true })).body.verification?.reason).toContain('its own hosts or proxy');
  expect(await runs()).toBe(previousRuns + 1);
});

test.each<[what: string, run: () => Promise<string>, status: number, detail: RegExp]>([
  [
    'has not completed',
    async () => (await api.call<RunView>('POST', '/v1/runs', { body: { definition: definition() } })).body.id,
    409,
    /The run is queued; only a completed run/,
  ],
  [
    'has no goal',
    () => completedRun({ definition: definition({ steps: [{ action: 'goBack' }] }) }, []),
    409,
    /cannot be compiled: it has no goal/,
  ],
  [
    'did nothing known',
    () => completedRun({ definition: definition() }, []),
    409,
    /stays a goal: in this run it was not reached/,
  ],
  ['is not there', async () => '0197f3c2-1a2b-7c3d-8e4f-000000000001', 404, /^Run .* not found/],
])('a run that %s is rejected', async (_description, run, status, detail) => {
  const answer = await compile(await run());
  expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
});

test('a run of a bare goal needs a name', async () => {
  const run = await completedRun({ goal: 'Open the shop' });
  const { status, body } = await compile(run);
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/name']);
  expect((await compile(run, { name: 'opened' })).status).toBe(200);
});

test('requires the operator role', async () => {
  const run = await completedRun({ definition: definition({ name: 'guarded' }) });
  expect((await compile(run, {}, await api.key('viewer', 'default'))).status).toBe(403);
  expect((await compile(run, {}, await api.key('operator'))).status).toBe(404);
  expect((await compile(run, {}, await api.key('operator', 'default'))).status).toBe(200);
});

test('a run with removed events is rejected as gone', async () => {
  const run = await completedRun({ definition: definition() });
  await api.context.pool.query(
    `UPDATE run SET created_at = now() - interval '9 days', finished_at = now() - interval '8 days' WHERE id = $1`,
    [run],
  );
  await api.call('PATCH', '/v1/projects/current', { body: { retention: { eventsDays: 5 } } });
  await api.call('POST', '/v1/retention/runs', { body: { dryRun: false } });
  const { status, body } = await compile(run);
  expect([status, body.detail]).toEqual([410, expect.stringContaining('were deleted')]);
});
