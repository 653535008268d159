import type { SavedView } from '@pilothouse/contract/api/saved-views.routes';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const list = async (key: string) =>
  (await api.call<{ items: SavedView[] }>('GET', '/v1/saved-views', { key })).body.items;
const save = (key: string, body: object) => api.call<SavedView>('POST', '/v1/saved-views', { key, body });

test('a view belongs to its owner unless it is shared, and a name is unique per owner', async () => {
  const [viewer, operator] = await Promise.all([api.key('viewer', 'default'), api.key('operator', 'default')]);
  await save(viewer, { name: 'Mine', search: 'status=failed' });
  await save(viewer, { name: 'Mine', search: 'status=failed&span=24h' });
  await save(operator, { name: 'Ours', search: 'span=7d', shared: true });
  expect((await save(viewer, { name: 'Forced on all', search: '', shared: true })).status).toBe(403);
  expect((await save(viewer, { name: ' ', search: '' })).status).toBe(400);
  expect(await list(viewer)).toMatchObject([
    { name: 'Mine', search: 'status=failed&span=24h', own: true, shared: false },
    { name: 'Ours', own: false, shared: true },
  ]);
  expect(await list(operator)).toMatchObject([{ name: 'Ours', own: true }]);
  expect(await list(await api.key('admin', 'other'))).toEqual([]);
});

test('an owner at the limit can change views but not add one', async () => {
  const key = await api.key('viewer', 'default');
  const answers = await Promise.all(
    Array.from({ length: 105 }, (_, n) => save(key, { name: `View ${n}`, search: '' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  const savedName = answers.find(({ status }) => status === 200)?.body.name ?? '';
  expect((await save(key, { name: savedName, search: 'span=1h' })).body.search).toBe('span=1h');
});

test('a view is deleted by its owner; a shared one also by an admin', async () => {
  const [viewer, operator] = await Promise.all([api.key('viewer', 'default'), api.key('operator', 'default')]);
  const ownView = (await save(operator, { name: 'Own', search: '' })).body;
  const shared = (await save(operator, { name: 'Shared', search: '', shared: true })).body;
  const drop = async ({ id }: SavedView, key: string) =>
    (await api.call('DELETE', `/v1/saved-views/${id}`, { key })).status;
  expect([await drop(shared, viewer), await drop(ownView, api.admin)]).toEqual([404, 404]);
  expect([await drop(shared, api.admin), await drop(ownView, operator)]).toEqual([200, 200]);
  expect(await list(operator)).not.toContainEqual(expect.objectContaining({ id: ownView.id }));
});
