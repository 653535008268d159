import { randomUUID } from 'node:crypto';
import { systemClock } from '@pilothouse/core';
import { createDatabase, memoryLog, until, startTcpProxy, type TestDatabase, type TcpProxy } from '@pilothouse/testing';
import { createPool, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { ModelSpendStore } from './model-spend.store.ts';

const project = randomUUID();
const budget = { tokens: 400 };
const amount = { tokens: 300, usd: 0 };
const took = { tokens: 50, usd: 0 };
const within = (ms = 30_000) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });

let database: TestDatabase;
let wire: TcpProxy;
/** One store behind a proxy, and one with a direct connection. */
let pool: Pool;
let outside: Pool;
let months: ModelSpendStore;
let others: ModelSpendStore;

beforeEach(async () => {
  database = await createDatabase();
  wire = await startTcpProxy(database.url);
  pool = createPool({ databaseUrl: wire.url, name: 'spec', log: memoryLog() });
  outside = createPool({ databaseUrl: database.url, name: 'outside', log: memoryLog() });
  [months, others] = [new ModelSpendStore(pool), new ModelSpendStore(outside)];
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
    const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
    const heard = (...asked: unknown[]) => {
      if (JSON.stringify(asked[0]).includes('INSERT INTO model_spend')) wire.mute();
      return query(...asked);
    };
    Object.assign(client, { query: heard });
  });
}

const spent = async () => {
  const { tokens, reserved: held } = await others.read(project);
  return { tokens, held: held.tokens };
};

test.each([
  ['none', budget],
  ['more', { tokens: 1_000 }],
])('room that was taken and not heard of is not taken twice, though there would be %s', async (_, budget) => {
  muteAtNext();
  const id = randomUUID();
  const holding = months.reserve(id, project, budget, amount, within());
  await until('it is taken', async () => (await spent()).held === 300);
  wire.resetConnections();
  const held = await holding;
  expect(held).toMatchObject({ id });
  expect(await spent()).toEqual({ tokens: 0, held: 300 });
  await others.settle(randomUUID(), project, held, took, within());
  expect(await spent()).toEqual({ tokens: 50, held: 0 });
});

test.each([
  ['with room', true],
  ['without', false],
])('what a call %s took is counted once when nobody heard that it was', async (_, isHeld) => {
  const held = isHeld ? await others.reserve(randomUUID(), project, budget, amount, within()) : null;
  muteAtNext();
  const settling = months.settle(randomUUID(), project, held, took, within());
  await until('it is counted', async () => (await spent()).tokens === 50);
  wire.resetConnections();
  await settling;
  expect(await spent()).toEqual({ tokens: 50, held: 0 });
});

test('usage counts even if its reservation was released before', async () => {
  const held = await others.reserve(randomUUID(), project, budget, amount, within(-300_000));
  expect(await others.reserve(randomUUID(), project, budget, amount, within())).not.toBeNull();
  await months.settle(randomUUID(), project, held, took, within());
  expect(await spent()).toEqual({ tokens: 50, held: 300 });
});

test('a rejected call leaves nothing behind', async () => {
  expect(await others.reserve(randomUUID(), project, { tokens: 100 }, amount, within())).toBeNull();
  expect((await outside.query('SELECT FROM model_spend_reservation')).rowCount).toBe(0);
});

test('a replica suspended during a write blocks no other', async () => {
  muteAtNext();
  const settling = months.settle(randomUUID(), project, null, took, within());
  await until('PostgreSQL has carried it out', async () => {
    const asked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pilothouse-spec' AND query LIKE '%model_spend_reservation%' AND state LIKE 'idle%'`;
    return (await outside.query(asked)).rowCount === 1;
  });
  const free = outside.query('SELECT tokens FROM model_spend WHERE project_id = $1 FOR UPDATE NOWAIT', [project]);
  expect((await free).rows).toEqual([{ tokens: 50 }]);
  wire.resetConnections();
  await settling;
});
