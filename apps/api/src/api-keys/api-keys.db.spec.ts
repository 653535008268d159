import type { CurrentPrincipal } from '@pilothouse/contract/api/auth.routes';
import type { ApiKeyCreated, ApiKeyView } from '@pilothouse/contract/project/api-key.schema';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { seedInstallation } from '../seed.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

test('a key is shown once, works, and only its hash is stored', async () => {
  const body = { name: 'ci', role: 'operator', expiresIn: 3600 };
  const { status, body: created } = await api.call<ApiKeyCreated>('POST', '/v1/api-keys', { body });
  expect(status).toBe(201);
  expect(created.key).toMatch(/^ph_[0-9A-Za-z]{43}$/);
  expect(created.key.startsWith(created.prefix)).toBe(true);
  expect(Date.parse(created.expiresAt ?? '') - Date.now()).toBeGreaterThan(3_500_000);
  const me = await api.call<CurrentPrincipal>('GET', '/v1/me', { key: created.key });
  expect(me.body).toMatchObject({
    role: 'operator',
    project: { slug: 'default' },
    key: { id: created.id, name: 'ci' },
  });
  const { rows } = await api.context.pool.query<{ hash: string; text: string }>(
    'SELECT hash, k::text AS text FROM api_key k WHERE id = $1',
    [created.id],
  );
  expect(rows[0]?.hash).toBe(hashToken(created.key));
  expect(rows[0]?.text).not.toContain(created.key);
  const list = await api.fetch('GET', '/v1/api-keys');
  expect(await list.text()).not.toContain(created.key);
});

test('the list is paginated, newest first', async () => {
  for (let n = 0; n < 4; n += 1) await api.call('POST', '/v1/api-keys', { body: { name: `list-${n}` } });
  const names = (await api.all<ApiKeyView>('/v1/api-keys', 3)).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('list-'))).toEqual(['list-3', 'list-2', 'list-1', 'list-0']);
  expect(names.at(-1)).toBe('bootstrap');
});

test('a revoked key stays in the list, and stays revoked', async () => {
  const { body: created } = await api.call<ApiKeyCreated>('POST', '/v1/api-keys', { body: { name: 'gone' } });
  const first = await api.call<ApiKeyView>('DELETE', `/v1/api-keys/${created.id}`);
  const second = await api.call<ApiKeyView>('DELETE', `/v1/api-keys/${created.id}`);
  expect(first.body.revokedAt).not.toBeNull();
  expect(second.body.revokedAt).toBe(first.body.revokedAt);
});

test('a viewer may read its own identity', async () => {
  const key = await api.key('viewer');
  expect((await api.call<CurrentPrincipal>('GET', '/v1/me', { key })).body.role).toBe('viewer');
});

describe('the admin key of the configuration', () => {
  let harness: TestApi;
  beforeAll(async () => {
    harness = await startApi();
  }, 60_000);
  afterAll(() => harness.close());

  const start = (adminKey: string) => {
    const { stores, vault } = harness.context;
    return seedInstallation({ stores, vault, adminKey, fleets: [], log: harness.log });
  };
  const statusOf = async (key: string) => (await harness.call('GET', '/v1/me', { key })).status;

  test('stops working when another one is configured; other keys remain valid', async () => {
    const response = await harness.call<ApiKeyCreated>('POST', '/v1/api-keys', {
      body: { name: 'bootstrap', role: 'admin' },
    });
    const next = newToken('ph_');
    await start(next);
    expect(await statusOf(harness.admin)).toBe(401);
    expect(await statusOf(next)).toBe(200);
    expect(await statusOf(response.body.key)).toBe(200);
    expect(harness.log.lines).toContainEqual({
      level: 'warn',
      message: 'previously configured admin key revoked',
      facts: { prefixes: [harness.admin.slice(0, 9)] },
    });
    // A replica with the former configuration starts again while the next one is rolled out.
    await start(harness.admin);
    expect([await statusOf(harness.admin), await statusOf(next)]).toEqual([401, 200]);
    expect(harness.log.lines.some(({ message }) => message.startsWith('configured admin key is revoked'))).toBe(true);
    await start(next);
    expect(await statusOf(next)).toBe(200);
  });
});
