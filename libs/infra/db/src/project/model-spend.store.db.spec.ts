import { randomUUID } from 'node:crypto';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { ModelSpendStore } from './model-spend.store.ts';

const project = randomUUID();
const budget = { tokens: 400 };
const amount = { tokens: 300, usd: 0 };
const usage = { tokens: 50, usd: 0 };
const within = (ms = 30_000) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });

let database: TestDatabase;
let wire: TcpProxy;
/** One store behind a proxy, and one with a direct connection. */
let pool: Pool;
let outside: Pool;
let months: ModelSpendStore;
let otherReplica: ModelSpendStore;

beforeEach(async () => {
  database = await createDatabase();
  wire = await startTcpProxy(database.url);
  pool = createPool({ databaseUrl: wire.url, name: 'spec', log: memoryLog() });
  outside = createPool({ databaseUrl: database.url, name: 'outside', log: memoryLog() });
  [months, otherReplica] = [new ModelSpendStore(pool), new ModelSpendStore(outside)];
  await outside.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
});

afterEach(async () => {
  wire.resetConnections();
  await Promise.all([pool.end(), outside.end()]);
  await wire.close();
  await database.drop();
});

/** Drops the answer to the next statement that changes the month. */
function muteAtNext(): void {
  pool.once('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const queryAndFail = (...args: unknown[]) => {
      if (JSON.stringify(args[0]).includes('INSERT INTO model_spend')) wire.mute();
      return query(...args);
    };
    Object.assign(client, { query: queryAndFail });
  });
}

const readSpend = async () => {
  const { tokens, reserved: reservedSpend } = await otherReplica.read(project);
  return { tokens, held: reservedSpend.tokens };
};

test.each([
  ['none', budget],
  ['more', { tokens: 1_000 }],
])('a reservation whose response is lost is not repeated: %s', async (_, budget) => {
  muteAtNext();
  const id = randomUUID();
  const holding = months.reserve(id, project, budget, amount, within());
  await until('it is reserved', async () => (await readSpend()).held === 300);
  wire.resetConnections();
  const reservation = await holding;
  expect(reservation).toMatchObject({ id });
  expect(await readSpend()).toEqual({ tokens: 0, held: 300 });
  await otherReplica.settle(randomUUID(), project, reservation, usage, within());
  expect(await readSpend()).toEqual({ tokens: 50, held: 0 });
});

test.each([
  ['with room', true],
  ['without', false],
])('the usage of a call %s is counted once when its response is lost', async (_, isReserved) => {
  const reservation = isReserved ? await otherReplica.reserve(randomUUID(), project, budget, amount, within()) : null;
  muteAtNext();
  const settling = months.settle(randomUUID(), project, reservation, usage, within());
  await until('it is counted', async () => (await readSpend()).tokens === 50);
  wire.resetConnections();
  await settling;
  expect(await readSpend()).toEqual({ tokens: 50, held: 0 });
});

test('usage counts even if its reservation was released before', async () => {
  const reservation = await otherReplica.reserve(randomUUID(), project, budget, amount, within(-300_000));
  expect(await otherReplica.reserve(randomUUID(), project, budget, amount, within())).not.toBeNull();
  await months.settle(randomUUID(), project, reservation, usage, within());
  expect(await readSpend()).toEqual({ tokens: 50, held: 300 });
});

test('a rejected call leaves nothing behind', async () => {
  expect(await otherReplica.reserve(randomUUID(), project, { tokens: 100 }, amount, within())).toBeNull();
  expect((await outside.query('SELECT FROM model_spend_reservation')).rowCount).toBe(0);
});

test('a replica suspended during a write blocks no other', async () => {
  muteAtNext();
  const settling = months.settle(randomUUID(), project, null, usage, within());
  await until('PostgreSQL has carried it out', async () => {
    const runningWrites = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pilothouse-spec' AND query LIKE '%model_spend_reservation%' AND state LIKE 'idle%'`;
    return (await outside.query(runningWrites)).rowCount === 1;
  });
  const free = outside.query('SELECT tokens FROM model_spend WHERE project_id = $1 FOR UPDATE NOWAIT', [project]);
  expect((await free).rows).toEqual([{ tokens: 50 }]);
  wire.resetConnections();
  await settling;
});
