import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { FleetDecision, FleetHistory, FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { hashToken } from '@pilothouse/infra-vault';
import { seedInstallation } from '../seed.ts';
import { testFleet, startApi, type TestApi } from '../testing/test-api.fixture.ts';

const token = 'phf_of_the_first_fleet';
const fleets = [testFleet({ token }), testFleet({ name: 'elsewhere', projects: ['other'] })];

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ fleets });
}, 60_000);
afterAll(() => api.close());

const list = async (key = api.admin) =>
  (await api.call<{ items: FleetView[] }>('GET', '/v1/fleets', { key })).body.items;

test('a project sees its fleets with their load and workers', async () => {
  const body = { steps: [{ action: 'screenshot' }] };
  const runs = await Promise.all([1, 2, 3].map(() => api.call<{ id: string }>('POST', '/v1/runs', { body })));
  await api.startRun(runs[0]?.body.id ?? '');
  const [only] = await list();
  await api.context.pool.query(
    `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, busy)
     VALUES ($1, $2, 'w-1', $3, $4, 'ready', '1', 'here', 1, 2, 1), ($5, $2, 'w-0', $6, $7, 'disconnected', '1', 'here', 2, 2, 0)`,
    [randomUUID(), only?.id, ...Array.from({ length: 5 }, () => randomUUID())],
  );
  await api.context.pool.query(
    `INSERT INTO fleet_condition (fleet_id, reason, message, count) VALUES ($1, 'Unschedulable', '0/2 nodes are available', 3)`,
    [only?.id],
  );
  const listed = await list();
  expect(listed).toMatchObject([
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
  const fleet = await api.call<FleetView>('GET', '/v1/fleets/default');
  expect(fleet.body).toEqual(listed[0]);
});

describe('a fleet that also serves other projects', () => {
  const worker = randomUUID();
  const changes = [
    ['POST', '/v1/fleets/shared/pause'],
    ['POST', '/v1/fleets/shared/resume'],
    ['PATCH', '/v1/fleets/shared'],
    ['POST', `/v1/fleets/shared/workers/${worker}/drain`],
    ['POST', `/v1/fleets/shared/workers/${worker}/cordon`],
    ['POST', `/v1/fleets/shared/workers/${worker}/uncordon`],
  ] as const;
  const change = (testApi: TestApi, key: string, [method, path]: readonly [string, string]) =>
    testApi.call<Problem>(method, path, { key, ...(method === 'PATCH' && { body: { maxWorkers: 3 } }) });

  let ownApi: TestApi;
  beforeAll(async () => {
    ownApi = await startApi({ fleets: [testFleet({ name: 'shared' })] });
  }, 60_000);
  afterAll(() => ownApi.close());

  test.each(changes)('cannot be changed by an admin of one of them: %s %s', async (...changeRequest) => {
    const key = await ownApi.key('admin', 'alone');
    await ownApi.key('admin', 'beside');
    await ownApi.context.pool.query(`UPDATE fleet SET projects = '{}'`);
    const { rows: previousRows } = await ownApi.context.pool.query('SELECT * FROM fleet');
    const rejection = await change(ownApi, key, changeRequest);
    expect([rejection.status, rejection.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await ownApi.context.pool.query('SELECT * FROM fleet')).rows).toEqual(previousRows);
    // The first project manages the installation; there is no such worker.
    expect([200, 404]).toContain((await change(ownApi, ownApi.admin, changeRequest)).status);
    await ownApi.context.pool.query(`UPDATE fleet SET projects = '{alone}'`);
    expect([200, 404]).toContain((await change(ownApi, key, changeRequest)).status);
  });
});

test('a fleet of other projects is not visible', async () => {
  expect((await api.call('GET', '/v1/fleets/elsewhere')).status).toBe(404);
  const otherKey = await api.key('viewer', 'other');
  expect((await list(otherKey)).map(({ name }) => name)).toEqual(['default', 'elsewhere']);
});

test('an unchanged configuration changes nothing, another one applies, and a missing token keeps the stored one', async () => {
  const rows = async () =>
    (await api.context.pool.query('SELECT * FROM fleet ORDER BY name')).rows as Record<string, unknown>[];
  const previousRows = await rows();
  expect(previousRows[0]).toMatchObject({ token_hash: hashToken(token) });
  const configure = (configs: typeof fleets) =>
    seedInstallation({
      stores: api.context.stores,
      vault: api.context.vault,
      adminKey: api.admin,
      fleets: configs,
      log: api.log,
    });
  await configure(fleets);
  expect(await rows()).toEqual(previousRows);
  await configure([testFleet({ maxWorkers: 9 })]);
  expect((await rows())[0]).toEqual({ ...previousRows[0], max_workers: 9, configured_limits: [0, 9, 1] });
  expect((await api.context.pool.query('SELECT 1 FROM api_key')).rowCount).toBe(2);
});

test('a fleet that is no longer configured is retired until it is configured again', async () => {
  const limits = async () =>
    (
      await api.context.pool.query(
        'SELECT name, min_workers AS "minWorkers", max_workers AS "maxWorkers", idle_slots AS "idleSlots" FROM fleet ORDER BY name',
      )
    ).rows as unknown[];
  const configure = (some: typeof fleets) =>
    seedInstallation({
      stores: api.context.stores,
      vault: api.context.vault,
      adminKey: api.admin,
      fleets: some,
      log: api.log,
    });
  const testedFleet = testFleet({ minWorkers: 1, maxWorkers: 3, idleSlots: 2 });
  const retiredFleet = testFleet({ name: 'elsewhere', minWorkers: 1, maxWorkers: 2, idleSlots: 1 });
  await configure([testedFleet, retiredFleet]);
  const limitRows = await limits();
  await configure([testedFleet]);
  expect(await limits()).toEqual([limitRows[0], { name: 'elsewhere', minWorkers: 0, maxWorkers: 0, idleSlots: 0 }]);
  const body = { fleet: 'elsewhere', steps: [{ action: 'navigate', url: 'https://example.test/' }] };
  const refusal = (await api.call<Problem>('POST', '/v1/runs', { body })).body;
  expect(refusal.errors).toMatchObject([{ pointer: '/fleet', detail: expect.stringContaining('Fleet not found') }]);
  // A process without configured fleets leaves them unchanged.
  await configure([]);
  expect(await limits()).toEqual([limitRows[0], { name: 'elsewhere', minWorkers: 0, maxWorkers: 0, idleSlots: 0 }]);
  await configure([testedFleet, retiredFleet]);
  expect(await limits()).toEqual(limitRows);
});

test('a token moves to the fleet that is configured with it', async () => {
  const configure = (some: typeof fleets) =>
    seedInstallation({
      stores: api.context.stores,
      vault: api.context.vault,
      adminKey: api.admin,
      fleets: some,
      log: api.log,
    });
  const shared = 'phf_of_the_only_fleet_here';
  const fleetOfToken = async () =>
    (await api.context.pool.query('SELECT name FROM fleet WHERE token_hash = $1', [hashToken(shared)])).rows;
  await configure([testFleet({ name: 'renamed', token: shared }), ...fleets]);
  await configure([testFleet({ name: 'successor', token: shared }), ...fleets]);
  expect(await fleetOfToken()).toEqual([{ name: 'successor' }]);
  await configure([
    testFleet({ name: 'successor', token: 'phf_another_token_here' }),
    testFleet({ name: 'renamed', token: shared }),
  ]);
  expect(await fleetOfToken()).toEqual([{ name: 'renamed' }]);
  await expect(
    configure([testFleet({ name: 'renamed', token: shared }), testFleet({ name: 'successor', token: shared })]),
  ).rejects.toThrow('token_hash');
  await configure(fleets);
});

test('an admin drains any worker, and scaling decisions are recorded', async () => {
  const { id } = (await api.call<FleetView>('GET', '/v1/fleets/default')).body;
  const worker = randomUUID();
  await api.context.pool.query(
    `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, busy)
     VALUES ($1, $2, 'busy-one', $3, $4, 'ready', '1', 'here', 3, 2, 2)`,
    [worker, id, randomUUID(), randomUUID()],
  );
  const path = `/v1/fleets/default/workers/${worker}/drain`;
  expect((await api.call('POST', path, { key: await api.key('operator') })).status).toBe(403);
  expect((await api.call('POST', `/v1/fleets/default/workers/${randomUUID()}/drain`)).status).toBe(404);
  const drained = await api.call<FleetView>('POST', path);
  expect(drained.body.workers.find((candidate) => candidate.id === worker)).toMatchObject({
    state: 'draining',
    busy: 2,
  });
  const since = async () =>
    (await api.context.pool.query('SELECT drain_requested_at FROM worker WHERE id = $1', [worker])).rows as unknown[];
  const first = await since();
  await api.call('POST', path);
  expect(await since()).toEqual(first);
  for (const action of ['cordon', 'cordon', 'uncordon'])
    await api.call('POST', `/v1/fleets/default/workers/${worker}/${action}`);
  // Each change once, with the name of its requester.
  const manual = await api.call<{ items: FleetDecision[] }>('GET', '/v1/fleets/default/decisions?limit=10');
  expect(
    manual.body.items.map(({ action, reason, requestedBy: requester, workers }) => [
      action,
      reason,
      requester,
      workers,
    ]),
  ).toEqual([
    ['uncordon', 'manual', 'bootstrap', ['busy-one']],
    ['cordon', 'manual', 'bootstrap', ['busy-one']],
    ['drain', 'manual', 'bootstrap', ['busy-one']],
  ]);

  await api.context.pool.query(
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

test('an admin changes the limits until the configuration changes them, or is declared authoritative', async () => {
  const limits = async () => {
    const { minWorkers, maxWorkers, idleSlots, limitsManagedBy } = (
      await api.call<FleetView>('GET', '/v1/fleets/default')
    ).body;
    return { minWorkers, maxWorkers, idleSlots, limitsManagedBy };
  };
  const configure = (some: typeof fleets) =>
    seedInstallation({
      stores: api.context.stores,
      vault: api.context.vault,
      adminKey: api.admin,
      fleets: some,
      log: api.log,
    });
  const change = (body: object, key = api.admin) => api.call<Problem>('PATCH', '/v1/fleets/default', { body, key });
  const as = (fields: Parameters<typeof testFleet>[0]) => [
    testFleet({ minWorkers: 0, maxWorkers: 3, idleSlots: 1, ...fields }),
    fleets[1] ?? testFleet(),
  ];
  await configure(as({}));
  expect((await change({ maxWorkers: 5 }, await api.key('operator'))).status).toBe(403);
  expect((await change({ minWorkers: 2, maxWorkers: 5 })).status).toBe(200);
  expect(await limits()).toEqual({ minWorkers: 2, maxWorkers: 5, idleSlots: 1, limitsManagedBy: null });
  const wrong = await change({ maxWorkers: 1 });
  expect(wrong.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/minWorkers' }] });
  expect((await change({})).status).toBe(400);

  await configure(as({}));
  expect(await limits()).toMatchObject({ minWorkers: 2, maxWorkers: 5 });
  await configure(as({ maxWorkers: 4 }));
  expect(await limits()).toMatchObject({ minWorkers: 0, maxWorkers: 4 });
  await change({ maxWorkers: 6 });
  await configure(as({ maxWorkers: 4, limitsManagedBy: 'configuration' }));
  expect(await limits()).toEqual({ minWorkers: 0, maxWorkers: 4, idleSlots: 1, limitsManagedBy: 'configuration' });
  expect((await change({ maxWorkers: 6 })).body).toMatchObject({ code: 'CONFLICT' });
  await configure([fleets[1] ?? testFleet()]);
  expect(await limits()).toEqual({ minWorkers: 0, maxWorkers: 0, idleSlots: 0, limitsManagedBy: 'retired' });
  expect((await change({ maxWorkers: 6 })).body).toMatchObject({ code: 'CONFLICT' });
  const { items } = (await api.call<Page<AuditEntry>>('GET', '/v1/audit?action=updateFleet')).body;
  expect(items.map(({ details }) => details)).toEqual([{ maxWorkers: 6 }, { minWorkers: 2, maxWorkers: 5 }]);
  await configure(fleets);
});

test('a worker is cordoned and uncordoned, and shows only runs of the project', async () => {
  const { id } = (await api.call<FleetView>('GET', '/v1/fleets/default')).body;
  const [worker, session] = [randomUUID(), randomUUID()];
  await api.context.pool.query(
    `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, busy)
     VALUES ($1, $2, 'careful', $3, $4, 'ready', '1', 'here', 3, 2, 2)`,
    [worker, id, randomUUID(), session],
  );
  const stranger = await api.key('operator');
  const body = { definition: { name: 'tide-table', steps: [{ action: 'screenshot' }] } };
  const runs: string[] = [];
  for (const key of [api.admin, stranger]) {
    const run = (await api.call<{ id: string }>('POST', '/v1/runs', { body, key })).body.id;
    await api.context.pool.query(
      `INSERT INTO lease (run_id, epoch, session, claimed_at, accepted_at, expires_at) VALUES ($1, 1, $2, now(), now(), 'infinity')`,
      [run, session],
    );
    runs.push(run);
  }
  const observedAfter = async (operation: 'cordon' | 'uncordon') => {
    const response = await api.call<FleetView>('POST', `/v1/fleets/default/workers/${worker}/${operation}`);
    return response.body.workers.find((candidate) => candidate.id === worker);
  };
  const workerState = { state: 'ready', busy: 2, runs: [{ id: runs[0], name: 'tide-table' }] };
  expect(await observedAfter('cordon')).toMatchObject({ ...workerState, cordoned: true });
  expect(await observedAfter('cordon')).toMatchObject({ cordoned: true });
  expect(await observedAfter('uncordon')).toMatchObject({ ...workerState, cordoned: false });
  const path = `/v1/fleets/default/workers/${worker}/cordon`;
  expect((await api.call('POST', path, { key: await api.key('operator') })).status).toBe(403);
  expect((await api.call('POST', path.replace(worker, randomUUID()))).status).toBe(404);
});

test('the history has the maximum of each interval, and the decisions of that time', async () => {
  const { id } = (await api.call<FleetView>('GET', '/v1/fleets/default')).body;
  const { pool, stores } = api.context;
  await pool.query('DELETE FROM fleet_sample');
  await pool.query('DELETE FROM fleet_decision');
  const day = 86_400_000;
  const now = new Date(Math.floor(Date.now() / day) * day);
  await pool.query(
    `INSERT INTO fleet_sample (fleet_id, sampled_at, waiting, running, workers, slots)
     SELECT $1, $2::timestamptz - n * interval '1 second', n, 1, 2, 4 FROM unnest('{15,30,105,7200}'::int[]) n`,
    [id, now],
  );
  await pool.query(
    `INSERT INTO fleet_decision (fleet_id, action, reason, workers, error, decided_at)
     SELECT $1, 'create', 'waiting', ARRAY['w-' || n], NULL, $2::timestamptz - n * interval '1 second' FROM unnest('{20,25,100}'::int[]) n`,
    [id, now],
  );
  // Samples written by Pilothouse meanwhile are of today.
  const spansOf = ({ spans }: FleetHistory) => spans.filter(({ at }) => at < now.toISOString());
  const hour = await stores.fleetHistory.read(id, 1, now);
  expect(spansOf(hour).map(({ waiting }) => waiting)).toEqual([105, 30, 15]);
  expect(hour.spans[0]).toMatchObject({ at: new Date(now.getTime() - 105_000).toISOString(), workers: 2, slots: 4 });
  const six = await stores.fleetHistory.read(id, 6, now);
  expect([six.stepSeconds, spansOf(six).map(({ waiting }) => waiting)]).toEqual([90, [7200, 105, 30]]);
  expect(six.decisions).toMatchObject([
    { action: 'create', reason: 'waiting', workers: 1 },
    { action: 'create', reason: 'waiting', workers: 2, error: null },
  ]);

  // Replicas that sample at the same time write one row.
  await Promise.all([stores.fleetHistory.sample(), stores.fleetHistory.sample(), stores.fleetHistory.sample()]);
  const { rows } = await pool.query(
    'SELECT FROM fleet_sample WHERE fleet_id = $1 AND sampled_at > $2 GROUP BY sampled_at',
    [id, now],
  );
  expect(rows.length).toBeGreaterThanOrEqual(1);
  await pool.query(`UPDATE fleet_sample SET sampled_at = sampled_at - interval '8 days' WHERE waiting = 7200`);
  await stores.fleetHistory.purge();
  expect((await pool.query('SELECT FROM fleet_sample WHERE waiting = 7200')).rowCount).toBe(0);
  const { body } = await api.call<FleetHistory>('GET', '/v1/fleets/default/history?hours=168');
  expect(body.stepSeconds).toBe(2_520);
  expect((await api.call('GET', '/v1/fleets/default/history?hours=0')).status).toBe(400);
});
