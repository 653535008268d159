import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { FleetQueue } from '@pilothouse/contract/api/fleets.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { WORKER_PROTOCOL } from '@pilothouse/contract/worker/assignment.schema';
import { toWorkerSchema, type ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import { until } from '@pilothouse/testing/test-helpers';
import { testFleet, startApi, type TestApi } from '../testing/test-api.fixture.ts';

const token = 'phf_of_the_fleet_that_is_paused';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    fleets: [testFleet({ token, slots: 3 }), testFleet({ name: 'elsewhere', projects: ['other'] })],
  });
  // The test observes requests, not repairs by the sweeper.
  await api.lifecycle.sweeper.stop();
}, 60_000);
afterAll(() => api.close());
afterEach(async () => {
  await api.call('POST', '/v1/fleets/default/resume');
  await api.context.pool.query('DELETE FROM run');
});

const submit = async (key = api.admin) => {
  const body = { steps: [{ action: 'screenshot' }], fleet: 'default' };
  return (await api.call<RunView>('POST', '/v1/runs', { body, key })).body.id;
};
const pause = () => api.call<FleetView>('POST', '/v1/fleets/default/pause');
const resume = () => api.call<FleetView>('POST', '/v1/fleets/default/resume');
const queue = async (key = api.admin) =>
  (await api.call<{ items: FleetQueue[] }>('GET', '/v1/queues', { key })).body.items;

interface Row {
  id: string;
  status: string;
  dispatch: number;
  admitted: boolean;
}
const rows = async () =>
  (
    await api.context.pool.query<Row>(
      'SELECT id, status, dispatch_number AS dispatch, admitted_at IS NOT NULL AS admitted FROM run ORDER BY id',
    )
  ).rows;

/** Returns whether Redis holds the dispatch jobs of these rows. */
const hinted = async (queued: readonly Row[]) => {
  const jobs = queued.map(({ id, dispatch }) => ({ run: id, dispatch, fleet: 'default', priority: 0 }));
  return (await api.lifecycle.jobQueue.findMissing(jobs)).length === 0;
};

/** A worker with three free slots; `close` ends its runs. */
async function worker() {
  const received: ToWorker[] = [];
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/v1/gateway`, {
    headers: { authorization: `Bearer ${token}` },
  });
  socket.on('message', (data) => received.push(toWorkerSchema.parse(JSON.parse(data.toString()))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const facts = { name: 'w', incarnation: randomUUID(), version: 'spec', surface: 'browser', host: 'here', pid: 1 };
  const worker = { ...facts, slots: 3 };
  socket.send(JSON.stringify({ type: 'hello', protocol: WORKER_PROTOCOL, worker, attempts: [] }));
  await until('it is connected', () => received.some(({ type }) => type === 'welcome'));
  socket.send(JSON.stringify({ type: 'ready', freeSlots: 3 }));
  return {
    runs: () => received.flatMap((message) => (message.type === 'assign' ? [message.assignment.run] : [])),
    close: () => socket.terminate(),
  };
}

test('the queue counts waiting, next, active and paused runs; runs of other projects appear only in totals', async () => {
  const stranger = await api.key('operator', 'other');
  const [first = '', second = ''] = [await submit(), await submit(), await submit()];
  await submit(stranger);
  await api.startRun(first);
  await api.startRun(second);
  await api.context.pool.query(`UPDATE run SET status = 'awaiting_user' WHERE id = $1`, [second]);
  await api.context.pool.query(
    `UPDATE run SET admitted_at = NULL, queued_at = '2026-01-02T03:04:05Z' WHERE project_id = (SELECT id FROM project WHERE slug = 'other')`,
  );
  const ownCounts = { backlog: 0, admitted: 1, running: 1, awaitingUser: 1 };
  const [only, ...none] = await queue();
  expect(none).toEqual([]);
  expect(only).toMatchObject({
    fleet: 'default',
    surface: 'browser',
    pausedAt: null,
    total: { ...ownCounts, backlog: 1, oldestQueuedAt: '2026-01-02T03:04:05.000Z' },
    project: ownCounts,
  });
  expect(Date.parse(only?.project.oldestQueuedAt ?? '')).toBeGreaterThan(Date.parse('2026-02-01'));
  const [theirs, dedicated] = await queue(stranger);
  expect(theirs).toMatchObject({
    total: only?.total,
    project: { backlog: 1, admitted: 0, running: 0, awaitingUser: 0 },
  });
  expect(dedicated).toMatchObject({ fleet: 'elsewhere', project: { backlog: 0, oldestQueuedAt: null } });
  const { body } = await api.call<FleetView>('GET', '/v1/fleets/default');
  expect(body).toMatchObject({ waiting: 2, running: 1 });
});

test('a paused fleet assigns nothing, even from jobs in Redis; a resumed one continues', async () => {
  const runs = [await submit(), await submit()].sort();
  const queued = await rows();
  await until('the hints are in Redis', () => hinted(queued));
  expect((await pause()).body).toMatchObject({ paused: true, waiting: 2 });
  expect(await rows()).toEqual(queued.map((row) => ({ ...row, admitted: false, dispatch: row.dispatch + 1 })));
  expect(await hinted(queued)).toBe(true);
  const lateRun = await submit();

  const idleWorker = await worker();
  await until('the hints are fetched', async () => !(await hinted(queued.slice(0, 1))));
  await until('and the other', async () => !(await hinted(queued.slice(1))));
  expect(await queue()).toMatchObject([{ project: { backlog: 3, admitted: 0, running: 0 } }]);
  expect(idleWorker.runs()).toEqual([]);

  expect((await resume()).body).toMatchObject({ paused: false });
  await until('the worker has all', () => idleWorker.runs().length === 3);
  expect(idleWorker.runs().sort()).toEqual([...runs, lateRun].sort());
  idleWorker.close();
});

test('active runs continue, and a repeated pause or resume changes nothing', async () => {
  const run = await submit();
  await api.startRun(run);
  await pause();
  const [{ pausedAt } = {}] = await queue();
  expect(pausedAt).toEqual(expect.any(String));
  expect((await pause()).body.paused).toBe(true);
  expect((await queue())[0]?.pausedAt).toBe(pausedAt);
  await api.complete(run);
  expect((await api.call<RunView>('GET', `/v1/runs/${run}`)).body.status).toBe('completed');
  expect((await resume()).body.paused).toBe(false);
  expect((await resume()).body.paused).toBe(false);
});

test('a run submitted during a pause is not assigned', async () => {
  await submit();
  const client = await api.context.pool.connect();
  try {
    // A submit that saw the fleet active and has not committed yet.
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO run SELECT (jsonb_populate_record(r, jsonb_build_object('id', $1::text))).* FROM run r`,
      [randomUUID()],
    );
    const paused = pause();
    await until('the pause waits for it', async () => {
      const { rowCount } = await api.context.pool.query(
        `SELECT 1 FROM pg_locks WHERE relation = 'run'::regclass AND NOT granted`,
      );
      return rowCount === 1;
    });
    await client.query('COMMIT');
    expect((await paused).status).toBe(200);
  } finally {
    client.release(true);
  }
  expect((await rows()).map(({ admitted }) => admitted)).toEqual([false, false]);
});

test('a pause that cannot get its lock reports it and changes nothing', async () => {
  const client = await api.context.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE run IN ROW EXCLUSIVE MODE');
    const rejection = await api.call<Problem>('POST', '/v1/fleets/default/pause');
    expect([rejection.status, rejection.body.retry]).toEqual([503, 'same-request']);
  } finally {
    client.release(true);
  }
  expect((await queue())[0]?.pausedAt).toBeNull();
});

test('requires an admin of a project that the fleet serves', async () => {
  expect((await api.call('POST', '/v1/fleets/elsewhere/pause')).status).toBe(404);
  for (const operation of ['pause', 'resume']) {
    const key = await api.key('operator', 'default');
    expect((await api.call('POST', `/v1/fleets/default/${operation}`, { key })).status).toBe(403);
  }
});
