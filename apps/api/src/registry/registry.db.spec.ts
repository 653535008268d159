import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  const endpoint = { apiKey: 'key', baseUrl: 'http://127.0.0.1:9/v1' };
  api = await startApi({ models: { endpoints: { openai: endpoint }, fallback: undefined, callsPerMinute: undefined } });
}, 60_000);
afterAll(() => api.close());
afterEach(() => api.context.pool.query('DELETE FROM registry_model'));

type Answer = RegisteredModel & Problem;
const call = (method: string, path: string, body?: unknown, key = api.admin) =>
  api.call<Answer>(method, `/v1/registry/models${path}`, { ...(body !== undefined && { body }), key });
const register = (name: string, facts: object = {}) => call('POST', '', { name, model: `openai/${name}`, ...facts });
const canary = (name: string, percent = 10) => call('POST', `/${name}/canary`, { percent });
const promote = (name: string) => call('POST', `/${name}/promote`);
const rollBack = (name: string, reason?: string) => call('POST', `/${name}/roll-back`, { reason });

test('a registered model is not used, and has its facts', async () => {
  const { status, body } = await register('tuned', {
    base: 'openai/gpt-5-mini',
    role: 'act',
    dialect: 'aura',
    metrics: { match: 0.8 },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...{ name: 'tuned', model: 'openai/tuned', base: 'openai/gpt-5-mini', role: 'act', surface: null, dialect: 'aura' },
    ...{ stage: 'registered', canaryPercent: null, metrics: { match: 0.8 }, runs: null, transitions: [] },
  });
  expect((await call('GET', '/tuned')).body).toEqual(body);
});

test.each<[string, object, string, string]>([
  ['an unknown endpoint', { model: 'groq/x' }, '/model', 'Endpoint groq not found. Configured: openai.'],
  ['an unknown endpoint of the base', { base: 'groq/x' }, '/base', 'Endpoint groq not found. Configured: openai.'],
  ['itself as its base', { base: 'openai/tuned' }, '/base', 'A model cannot be its own base'],
  ['a model without an endpoint', { model: 'gpt' }, '/model', expect.stringMatching(/^Use endpoint\/model/)],
])('%s is refused', async (_title, facts, pointer, detail) => {
  const { status, body } = await register('tuned', facts);
  expect([status, body.errors?.[0]]).toEqual([400, { pointer, detail }]);
  expect((await call('GET', '/tuned')).status).toBe(404);
});

test('a name is used once in a project', async () => {
  await register('tuned');
  expect(await register('tuned')).toMatchObject({ status: 409, body: { errors: [{ pointer: '/name' }] } });
});

test('a model goes through its stages, with a history', async () => {
  await register('tuned');
  expect((await canary('tuned', 20)).body).toMatchObject({
    stage: 'canary',
    canaryPercent: 20,
    runs: { candidate: { trials: 0 } },
  });
  expect((await canary('tuned', 50)).body).toMatchObject({ canaryPercent: 50 });
  expect((await promote('tuned')).body).toMatchObject({ stage: 'active', canaryPercent: null });
  const { body } = await rollBack('tuned', 'Wrong prices');
  expect(body.transitions.map(({ from, to, canaryPercent, reason }) => [from, to, canaryPercent, reason])).toEqual([
    ['active', 'rolled_back', null, 'Wrong prices'],
    ['canary', 'active', null, null],
    ['canary', 'canary', 50, null],
    ['registered', 'canary', 20, null],
  ]);
  expect(body.transitions[0]?.by).toMatchObject({ kind: 'key' });
});

test('a second canary of the same role is refused; a new active model retires the one before', async () => {
  for (const name of ['one', 'two', 'three']) await register(name, name === 'three' ? { role: 'verify' } : {});
  await canary('one');
  expect((await canary('two')).body).toMatchObject({
    code: 'CONFLICT',
    detail: 'The model one is the canary of this role and surface. Roll it back first.',
  });
  expect((await canary('three')).status).toBe(200);
  await promote('one');
  await promote('two');
  expect((await call('GET', '/one')).body).toMatchObject({
    stage: 'retired',
    transitions: [{ reason: 'Replaced by two' }, {}, {}],
  });
});

test('parallel promotions leave one active model', async () => {
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) await register(name);
  await Promise.all(names.map(promote));
  const { rows } = await api.context.pool.query(
    `SELECT stage, count(*)::int FROM registry_model GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { stage: 'active', count: 1 },
    { stage: 'retired', count: 3 },
  ]);
});

test('a used model cannot be deleted, and an unused one cannot be rolled back', async () => {
  await register('tuned');
  expect((await rollBack('tuned')).body).toMatchObject({ code: 'CONFLICT' });
  await promote('tuned');
  expect((await call('DELETE', '/tuned')).body).toMatchObject({
    detail: 'The model tuned is used by runs. Roll it back first.',
  });
  await rollBack('tuned');
  expect((await call('DELETE', '/tuned')).body).toMatchObject({ name: 'tuned' });
  expect((await call('GET', '/tuned')).status).toBe(404);
});

test('other projects see nothing, and only admins change models', async () => {
  await register('tuned');
  expect((await call('GET', '/tuned', undefined, await api.key('admin'))).status).toBe(404);
  const operator = await api.key('operator', 'default');
  expect((await call('GET', '/tuned', undefined, operator)).status).toBe(200);
  expect((await call('POST', '/tuned/promote', {}, operator)).status).toBe(403);
});

test('the list is sorted by name, and filtered by stage', async () => {
  for (const name of ['c', 'a', 'b']) await register(name);
  await promote('b');
  const list = await api.all<RegisteredModel>('/v1/registry/models', 2);
  expect(list.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  const active = await api.call<{ items: RegisteredModel[] }>('GET', '/v1/registry/models?stage=active');
  expect(active.body.items.map(({ name }) => name)).toEqual(['b']);
});

test('a list has statistics of the models in the stage shadow, and a model keeps its own afterwards', async () => {
  for (const name of ['early', 'tuned', 'unused']) await register(name);
  const { pool } = api.context;
  await pool.query(
    `INSERT INTO registry_shadow (model_id, run_id, role, result, base_model, duration_ms)
     SELECT m.id, gen_random_uuid(), 'act', result, 'openai/base', 5 FROM registry_model m, unnest($1::text[]) result WHERE m.name <> 'unused'`,
    [['agreed', 'agreed', 'failed']],
  );
  await call('POST', '/tuned/shadow', { percent: 50 });
  const { items } = (await api.call<{ items: RegisteredModel[] }>('GET', '/v1/registry/models')).body;
  const stats = { calls: 3, agreed: 2, failed: 1, medianMs: 5 };
  expect(items.map(({ name, shadow }) => [name, shadow])).toEqual([
    ['early', null],
    ['tuned', expect.objectContaining(stats)],
    ['unused', null],
  ]);
  expect((await call('GET', '/early')).body.shadow).toMatchObject(stats);
  expect((await call('GET', '/unused')).body.shadow).toBeNull();
});
