import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProfileView } from '@pilothouse/contract/project/profile.schema';
import { unsealProfile } from '../sealing/sealed-data.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());
afterEach(() => api.context.pool.query('DELETE FROM profile'));

const stateOf = (value = 'hush') => ({
  cookies: [
    {
      name: 'sid',
      value,
      domain: '.shop.example',
      path: '/',
      expires: 1_900_000_000.5,
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    },
    {
      name: 'csrf',
      value,
      domain: 'auth.example',
      path: '/',
      expires: -1,
      httpOnly: false,
      secure: true,
      sameSite: 'Lax',
    },
  ],
  origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value }] }],
});
const putProfile = (name: string, body: unknown = stateOf(), key = api.admin) =>
  api.call<ProfileView & Problem>('PUT', `/v1/profiles/${name}`, { body, key });

test('an imported profile shows its domains and never its values', async () => {
  const { status, body } = await putProfile('shop');
  expect(status).toBe(200);
  expect(body).toEqual({
    name: 'shop',
    version: 1,
    size: JSON.stringify(stateOf()).length,
    cookies: 2,
    cookieDomains: ['auth.example', 'shop.example'],
    origins: ['https://shop.example'],
    run: null,
    createdAt: expect.any(String),
    updatedAt: body.createdAt,
  });
  const list = await api.fetch('GET', '/v1/profiles', { key: await api.key('viewer', 'default') });
  const text = await list.text();
  expect(JSON.parse(text)).toEqual({ items: [body], nextCursor: null });
  const { rows } = await api.context.pool.query<{ text: string; state: Buffer; project: string }>(
    'SELECT p::text AS text, state, project_id AS project FROM profile p',
  );
  const [row] = rows;
  for (const storedText of [text, row?.text, row?.state.toString('latin1'), JSON.stringify(api.log.lines)]) {
    for (const secret of ['hush', 'token', 'csrf']) {
      expect(storedText).not.toContain(secret);
      expect(storedText).not.toContain(Buffer.from(secret).toString('hex'));
    }
  }
  const key = { project: row?.project ?? '', name: 'shop' };
  expect(unsealProfile(api.context.vault, key, row?.state ?? Buffer.alloc(0))).toEqual(stateOf());
});

test('another import replaces it', async () => {
  const { body: first } = await putProfile('shop');
  const { body: second } = await putProfile('shop', { cookies: [], origins: [] });
  expect(second).toMatchObject({ version: 2, cookies: 0, origins: [], createdAt: first.createdAt });
});

test('extra fields written by Playwright are dropped', async () => {
  const [origin] = stateOf().origins;
  const state = { ...stateOf(), origins: [{ ...origin, indexedDB: [{ name: 'db', version: 1, stores: [] }] }] };
  const { body } = await putProfile('shop', { ...state, credentials: [{ id: 'passkey' }] });
  expect(body.size).toBe(JSON.stringify(state).length);
});

test.each<[unknown, string]>([
  [{}, '/cookies'],
  [[], ''],
  [{ log: { entries: [] } }, '/cookies'],
  [{ ...stateOf(), cookies: [{ ...stateOf().cookies[0], domain: 'https://x.example' }] }, '/cookies/0/domain'],
  [{ ...stateOf(), cookies: [{ ...stateOf().cookies[0], sameSite: 'hush' }] }, '/cookies/0/sameSite'],
  [{ ...stateOf(), cookies: [{ ...stateOf().cookies[0], value: { hush: 1 } }] }, '/cookies/0/value'],
  [{ ...stateOf(), origins: [{ origin: 'https://hush.example/x', localStorage: [] }] }, '/origins/0/origin'],
])('an invalid state is rejected with the path of the error: case %#', async (body, pointer) => {
  const rejection = await putProfile('shop', body);
  expect([rejection.status, rejection.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  expect(JSON.stringify(rejection.body)).not.toContain('hush');
  expect((await api.call<{ items: unknown[] }>('GET', '/v1/profiles')).body.items).toEqual([]);
});

test('an invalid name and an oversized state are rejected', async () => {
  expect((await putProfile('Shop')).status).toBe(400);
  const item = { name: 'a', value: 'x'.repeat(1_500_000) };
  const large = { cookies: [], origins: [{ origin: 'https://shop.example', localStorage: [item] }] };
  const rejection = await putProfile('shop', large);
  expect(rejection.status).toBe(413);
  expect(rejection.body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', detail: expect.stringContaining('1500000') });
});

test('the list is paginated by name', async () => {
  for (const name of ['c', 'a', 'e', 'b', 'd']) await putProfile(name);
  expect((await api.all<ProfileView>('/v1/profiles', 2)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect((await api.call('GET', '/v1/profiles?cursor=x')).status).toBe(400);
});

test('a deleted profile is gone; another project can neither see nor delete it', async () => {
  const { body } = await putProfile('shop');
  const stranger = await api.key('admin');
  expect((await api.call<{ items: unknown[] }>('GET', '/v1/profiles', { key: stranger })).body.items).toEqual([]);
  const remove = (key = api.admin) => api.call<ProfileView & Problem>('DELETE', '/v1/profiles/shop', { key });
  expect((await remove(stranger)).body).toMatchObject({ code: 'NOT_FOUND' });
  // The other project has a profile of the same name.
  await putProfile('shop', stateOf(), stranger);
  expect((await remove()).body).toEqual(body);
  expect((await remove()).status).toBe(404);
  expect((await remove(stranger)).status).toBe(200);
});
