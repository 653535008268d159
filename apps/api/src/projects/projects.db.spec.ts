import type { ModelsView, ProjectView } from '@pilothouse/contract/api/project.routes';
import type { ModelPrices } from '@pilothouse/contract/model/model-check.schema';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { newId } from '../common/new-id.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  const groq = { protocol: 'openai' as const, apiKey: 'hunter2', baseUrl: 'http://127.0.0.1:9/v1' };
  const models = { endpoints: { groq }, fallback: { use: ['groq/llama-4'] }, callsPerMinute: undefined };
  api = await startApi({ models });
}, 60_000);
afterAll(() => api.close());

const readProject = async (key = api.admin) =>
  (await api.call<ProjectView>('GET', '/v1/projects/current', { key })).body;
const change = (body: object) => api.call<ProjectView & Problem>('PATCH', '/v1/projects/current', { body });
const submit = async () =>
  (await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } })).body.id;

const admitted = async () =>
  (
    await api.context.pool.query<{ id: string }>(
      `SELECT id FROM run WHERE status = 'queued' AND admitted_at IS NOT NULL ORDER BY created_at`,
    )
  ).rows.map(({ id }) => id);

test('a project shows its limits and retention, and counts its runs by status', async () => {
  const none = { queued: 0, running: 0, awaiting_user: 0, completed: 0, failed: 0, cancelled: 0 };
  expect(await readProject()).toMatchObject({
    slug: 'default',
    name: 'Default',
    maxConcurrentRuns: null,
    retention: { runsDays: null, eventsDays: null, artifactsDays: null },
    runs: none,
  });
  const [first = '', second = '', third = '', fourth = ''] = [
    await submit(),
    await submit(),
    await submit(),
    await submit(),
    await submit(),
  ];
  await api.startRun(first);
  await api.call('POST', `/v1/runs/${second}/cancel`);
  await api.context.pool.query(`UPDATE run SET status = 'awaiting_user' WHERE id = $1`, [first]);
  await api.context.pool.query(`UPDATE run SET status = 'failed' WHERE id = $1`, [third]);
  await api.context.pool.query(`UPDATE run SET status = 'completed' WHERE id = $1`, [fourth]);
  expect((await readProject()).runs).toEqual({
    ...none,
    queued: 1,
    awaiting_user: 1,
    completed: 1,
    failed: 1,
    cancelled: 1,
  });
  expect((await readProject(await api.key('viewer'))).runs).toEqual(none);
  await api.context.pool.query('DELETE FROM run');
});

test('only the fields of the request change', async () => {
  const retention = { runsDays: 90, eventsDays: 30, artifactsDays: 7 };
  expect((await change({ maxConcurrentRuns: 5, retention })).body).toMatchObject({
    maxConcurrentRuns: 5,
    retention,
  });
  expect((await change({ retention: { eventsDays: null } })).body).toMatchObject({
    maxConcurrentRuns: 5,
    retention: { ...retention, eventsDays: null },
  });
  expect((await change({ maxConcurrentRuns: null })).body).toMatchObject({
    maxConcurrentRuns: null,
    retention: { runsDays: 90 },
  });
  expect((await change({ retention: { runsDays: null, artifactsDays: null } })).body).toEqual(await readProject());
});

test('models are set by role and can be removed', async () => {
  const models = {
    default: { use: ['gemini/gemini-2.5-flash'] },
    vision: { use: ['openai/gpt-5-mini'], temperature: 0 },
  };
  expect((await readProject()).models).toBeNull();
  expect((await change({ models })).body.models).toEqual(models);
  expect((await change({ maxConcurrentRuns: null })).body.models).toEqual(models);
  expect((await change({ models: null })).body.models).toBeNull();
});

test('models may use endpoints configured by the installation', async () => {
  const { body } = await api.call<ModelsView>('GET', '/v1/models', { key: await api.key('viewer') });
  expect(body).toEqual({ endpoints: [{ name: 'groq', protocol: 'openai' }], use: ['groq/llama-4'] });
  const models = { default: { use: ['groq/llama-4', 'gemini/gemini-2.5-flash'] } };
  expect((await change({ models })).body.models).toEqual(models);
  const wrong = { act: { use: ['groq/a', 'grok/a'] }, vision: { use: ['constructor/a'] } };
  expect((await change({ models: wrong })).body.errors).toEqual([
    { pointer: '/models/act/use/1', detail: expect.stringContaining('gemini, openai, anthropic, groq') },
    { pointer: '/models/vision/use/0', detail: expect.stringContaining('Endpoint constructor not found') },
  ]);
  expect((await change({ models: null })).body.models).toBeNull();
});

test('notes for agents are stored, and a note names one subject', async () => {
  const notes = [
    { app: 'mousepad', text: 'Control+S saves' },
    { site: '*.example.com', text: 'Prices are net' },
  ];
  expect((await change({ agents: { notes } })).body.agents).toEqual({ notes });
  expect((await readProject()).agents).toEqual({ notes });
  for (const [note, pointer] of [
    [{ text: 'x' }, '/agents/notes/0'],
    [{ app: 'mousepad', site: 'example.com', text: 'x' }, '/agents/notes/0'],
    [{ app: 'mousepad', text: 'x'.repeat(501) }, '/agents/notes/0/text'],
    [{ app: 'mousepad', text: ' ' }, '/agents/notes/0/text'],
    [{ site: 'not a host', text: 'x' }, '/agents/notes/0/site'],
  ] as const)
    expect((await change({ agents: { notes: [note] } })).body.errors).toMatchObject([{ pointer }]);
  expect((await change({ agents: null })).body.agents).toBeNull();
});

test('known prices are listed, and a check of an unknown endpoint says what is configured', async () => {
  const prices = await api.call<ModelPrices>('GET', '/v1/models/prices', { key: await api.key('viewer') });
  expect(prices.body.items.find(({ model }) => model === 'openai/gpt-6-sol')).toMatchObject({
    input: 2,
    source: { read: expect.any(String) },
  });
  const check = (role: 'admin' | 'viewer', model: string) =>
    api
      .key(role)
      .then((key) => api.call<{ code: string; detail: string }>('POST', '/v1/models/check', { key, body: { model } }));
  expect((await check('viewer', 'groq/llama-4')).status).toBe(403);
  expect((await check('admin', 'grok/llama-4')).body).toMatchObject({ code: 'MODEL_NOT_CONFIGURED' });
});

test('learning settings are stored, and null turns them off', async () => {
  const learning = { record: { turns: 'sample', samplePercent: 20 }, shareTraces: true } as const;
  expect((await readProject()).learning).toBeNull();
  expect((await change({ learning })).body.learning).toEqual(learning);
  expect((await readProject()).learning).toEqual(learning);
  expect((await change({ learning: null })).body.learning).toBeNull();
});

test('budgets apply to later runs and are shown with the usage of the month', async () => {
  const budgets = { default: { tokens: 500 }, max: { tokens: 1000, steps: 9 }, month: { usd: 20 } };
  expect((await change({ budgets })).body).toMatchObject({
    budgets,
    usage: { month: expect.stringMatching(/^\d{4}-\d\d$/), tokens: 0, usd: 0, reserved: { tokens: 0, usd: 0 } },
  });
  const run = (body: object) =>
    api.call<RunView & Pick<Problem, 'errors'>>('POST', '/v1/runs', {
      body: { steps: [{ action: 'screenshot' }], ...body },
    });
  const { body: silent } = await run({});
  expect(silent.budget).toEqual({ tokens: 500, steps: 9 });
  expect((await run({ budget: { tokens: 1000, seconds: 5 } })).body.budget).toEqual({
    tokens: 1000,
    steps: 9,
    seconds: 5,
  });
  const rejection = await run({ budget: { steps: 10, tokens: 1001 } });
  expect([rejection.status, rejection.body.errors?.map(({ pointer }) => pointer)]).toEqual([
    400,
    ['/budget/steps', '/budget/tokens'],
  ]);
  await change({ budgets: { max: { tokens: 100 } } });
  await api.startRun(silent.id);
  await api.complete(silent.id);
  const retry = (body: object) =>
    api.call<RunView & Pick<Problem, 'errors'>>('POST', `/v1/runs/${silent.id}/retry`, { body });
  expect((await retry({})).body.budget).toEqual({ tokens: 100, steps: 9 });
  expect((await retry({ budget: { tokens: 500 } })).body.errors?.[0]?.pointer).toBe('/budget/tokens');
  expect((await change({ budgets: null })).body.budgets).toBeNull();
  await api.context.pool.query('DELETE FROM run');
});

test('a new project starts with the configured values; an existing one stays unchanged', async () => {
  const key = await api.key('viewer', 'begun');
  expect((await readProject(key)).retention).toEqual({ runsDays: null, eventsDays: null, artifactsDays: null });
  const { projects } = api.context.stores;
  const retention = { runsDays: 365, eventsDays: null, artifactsDays: 30 };
  await projects.ensure({ id: newId(), slug: 'begun', name: 'x' }, retention);
  await projects.ensure({ id: newId(), slug: 'fresh', name: 'x' }, retention);
  expect((await readProject(key)).retention.runsDays).toBeNull();
  expect((await readProject(await api.key('viewer', 'fresh'))).retention).toEqual(retention);
});

test.each([
  [{}, ''],
  [{ maxConcurrentRuns: 0 }, '/maxConcurrentRuns'],
  [{ maxConcurrentRuns: 1.5 }, '/maxConcurrentRuns'],
  [{ retention: { runsDays: 0 } }, '/retention/runsDays'],
  [{ retention: { filesDays: 1 } }, '/retention/filesDays'],
  [{ models: { look: { use: ['gemini/x'] } } }, '/models/look'],
  [{ models: { act: { use: ['gpt-5'] } } }, '/models/act/use/0'],
  [{ models: { act: { use: ['openai/x'], dialect: 'telegram' } } }, '/models/act/dialect'],
  [{ models: { act: { use: ['gemini/x/../../v1/files'] } } }, '/models/act/use/0'],
  [{ models: { act: { use: ['gemini/x?key=y'] } } }, '/models/act/use/0'],
  [{ learning: { record: { turns: 'some' }, shareTraces: false } }, '/learning/record/turns'],
  [
    { learning: { record: { turns: 'sample', samplePercent: 0 }, shareTraces: false } },
    '/learning/record/samplePercent',
  ],
  [{ budgets: { month: { steps: 3 } } }, '/budgets/month/steps'],
  [{ budgets: { default: { tokens: 0 } } }, '/budgets/default/tokens'],
  [{ budgets: { default: { usd: 2 }, max: { usd: 1 } } }, '/budgets/default/usd'],
])('%j is rejected at %s', async (body, pointer) => {
  const previous = await readProject();
  const rejection = await change(body);
  expect([rejection.status, rejection.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  expect(await readProject()).toEqual(previous);
});

test('a raised limit lets waiting runs continue at once, without the sweeper', async () => {
  await api.lifecycle.sweeper.stop();
  await change({ maxConcurrentRuns: 1 });
  const runs = [await submit(), await submit(), await submit()];
  await until('one is admitted', async () => (await admitted()).length === 1);
  expect(await admitted()).toEqual(runs.slice(0, 1));
  await change({ maxConcurrentRuns: 2 });
  await until('one more is', async () => (await admitted()).length === 2);
  expect(await admitted()).toEqual(runs.slice(0, 2));
  await change({ maxConcurrentRuns: null });
  await until('all are', async () => (await admitted()).length === 3);
});
