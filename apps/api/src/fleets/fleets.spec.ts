import { randomUUID } from 'node:crypto';
import type { FleetDecision, FleetView } from '@pilothouse/contract';
import { hashToken } from '@pilothouse/infra-vault';
import { bootstrap } from '../bootstrap.ts';
import { fleet, startApi, type TestApi } from '../testing/api.fixture.ts';

const token = 'phf_of_the_first_fleet';
const fleets = [fleet({ token }), fleet({ name: 'elsewhere', projects: ['other'] })];

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ fleets });
}, 60_000);
afterAll(() => api.close());

const list = async (key = api.admin) =>
  (await api.call<{ items: FleetView[] }>('GET', '/v1/fleets', { key })).body.items;

test('a project sees the fleets that serve it, with their load and their workers', async () => {
  const body = { steps: [{ action: 'screenshot' }] };
  const runs = await Promise.all([1, 2, 3].map(() => api.call<{ id: string }>('POST', '/v1/runs', { body })));
  await api.take(runs[0]?.body.id ?? '');
  const [only] = await list();
  await api.house.pool.query(
    `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, busy)
     VALUES ($1, $2, 'w-1', $3, $4, 'ready', '1', 'here', 1, 2, 1), ($5, $2, 'w-0', $6, $7, 'gone', '1', 'here', 2, 2, 0)`,
    [randomUUID(), only?.id, ...Array.from({ length: 5 }, () => randomUUID())],
  );
  await api.house.pool.query(
    `INSERT INTO fleet_condition (fleet_id, reason, message, count) VALUES ($1, 'Unschedulable', '0/2 nodes are available', 3)`,
    [only?.id],
  );
  const found = await list();
  expect(found).toMatchObject([
    {
      name: 'default',
      surface: 'browser',
      waiting: 2,
      running: 1,
      paused: false,
      workers: [{ name: 'w-1', busy: 1 }],
      conditions: [
        { reason: 'Unschedulable', message: '0/2 nodes are available', count: 3, since: expect.any(String) },
      ],
    },
  ]);
  const one = await api.call<FleetView>('GET', '/v1/fleets/default');
  expect(one.body).toEqual(found[0]);
});

test('one that serves others is not there', async () => {
  expect((await api.call('GET', '/v1/fleets/elsewhere')).status).toBe(404);
  const other = await api.key('viewer', 'other');
  expect((await list(other)).map(({ name }) => name)).toEqual(['default', 'elsewhere']);
});

test('the same configuration again changes nothing, another one does, and a token that is not given stays', async () => {
  const rows = async () =>
    (await api.house.pool.query('SELECT * FROM fleet ORDER BY name')).rows as Record<string, unknown>[];
  const before = await rows();
  expect(before[0]).toMatchObject({ token_hash: hashToken(token) });
  const again = (more: typeof fleets) =>
    bootstrap({ stores: api.house.stores, vault: api.house.vault, adminKey: api.admin, fleets: more, log: api.log });
  await again(fleets);
  expect(await rows()).toEqual(before);
  await again([fleet({ max: 9 })]);
  expect((await rows())[0]).toEqual({ ...before[0], max: 9 });
  expect((await api.house.pool.query('SELECT 1 FROM api_key')).rowCount).toBe(2);
});

test('a fleet that is no longer configured is retired, until it is configured again', async () => {
  const limits = async () =>
    (await api.house.pool.query('SELECT name, min, max, idle FROM fleet ORDER BY name')).rows as unknown[];
  const configure = (some: typeof fleets) =>
    bootstrap({ stores: api.house.stores, vault: api.house.vault, adminKey: api.admin, fleets: some, log: api.log });
  const kept = fleet({ min: 1, max: 3, idle: 2 });
  const gone = fleet({ name: 'elsewhere', min: 1, max: 2, idle: 1 });
  await configure([kept, gone]);
  const both = await limits();
  await configure([kept]);
  expect(await limits()).toEqual([both[0], { name: 'elsewhere', min: 0, max: 0, idle: 0 }]);
  // A process that was told of no fleets leaves them alone.
  await configure([]);
  expect(await limits()).toEqual([both[0], { name: 'elsewhere', min: 0, max: 0, idle: 0 }]);
  await configure([kept, gone]);
  expect(await limits()).toEqual(both);
});

test('a worker is drained by an admin, whatever it does, and it is known why others came and went', async () => {
  const { id } = (await api.call<FleetView>('GET', '/v1/fleets/default')).body;
  const worker = randomUUID();
  await api.house.pool.query(
    `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, busy)
     VALUES ($1, $2, 'busy-one', $3, $4, 'ready', '1', 'here', 3, 2, 2)`,
    [worker, id, randomUUID(), randomUUID()],
  );
  const path = `/v1/fleets/default/workers/${worker}/drain`;
  expect((await api.call('POST', path, { key: await api.key('operator') })).status).toBe(403);
  expect((await api.call('POST', `/v1/fleets/default/workers/${randomUUID()}/drain`)).status).toBe(404);
  const drained = await api.call<FleetView>('POST', path);
  expect(drained.body.workers.find((one) => one.id === worker)).toMatchObject({ state: 'draining', busy: 2 });
  const since = async () =>
    (await api.house.pool.query('SELECT drain_requested_at FROM worker WHERE id = $1', [worker])).rows as unknown[];
  const first = await since();
  await api.call('POST', path);
  expect(await since()).toEqual(first);

  await api.house.pool.query(
    `INSERT INTO fleet_decision (fleet_id, action, reason, workers, error)
     VALUES ($1, 'create', 'waiting', '{a,b}', NULL), ($1, 'drain', 'cooldown', '{a}', 'It is gone')`,
    [id],
  );
  const decisions = await api.call<{ items: FleetDecision[] }>('GET', '/v1/fleets/default/decisions?limit=2', {
    key: await api.key('viewer'),
  });
  expect(decisions.body.items).toMatchObject([
    { action: 'drain', reason: 'cooldown', workers: ['a'], error: 'It is gone' },
    { action: 'create', reason: 'waiting', workers: ['a', 'b'], error: null },
  ]);
  expect((await api.call('GET', '/v1/fleets/nowhere/decisions')).status).toBe(404);
});
