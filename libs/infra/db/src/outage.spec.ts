import { PilothouseError } from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { createDatabase, memoryLog, until, wireTo, type TestDatabase, type Wire } from '@pilothouse/testing';
import { onceThroughOutage, throughOutage } from './outage.ts';
import { createPool, type Pool } from './pool.ts';

let database: TestDatabase;
let wire: Wire;
/** By way of the wire, and past it. */
let pool: Pool;
let outside: Pool;

beforeEach(async () => {
  database = await createDatabase();
  wire = await wireTo(database.url);
  pool = createPool({ databaseUrl: wire.url, name: 'spec', log: memoryLog() });
  outside = createPool({ databaseUrl: database.url, name: 'outside', log: memoryLog() });
  await outside.query('CREATE TABLE kept (n int)');
});

afterEach(async () => {
  wire.cut();
  await Promise.all([pool.end(), outside.end()]);
  await wire.close();
  await database.drop();
});

const within = (ms: number) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });
const kept = async () => (await outside.query<{ n: number }>('SELECT n FROM kept')).rows.map(({ n }) => n);

/** Keeps a number, once. @param before called when all but the commit is done */
const keep = (n: number, before: () => void) =>
  onceThroughOutage(
    pool,
    async (client) => {
      const { rows } = await client.query<{ n: number }>('INSERT INTO kept VALUES ($1) RETURNING n', [n]);
      before();
      return rows[0]?.n;
    },
    within(30_000),
  );

describe('a transaction', () => {
  it('whose commit was done and not heard of is not done again', async () => {
    let times = 0;
    const keeping = keep(1, () => {
      times += 1;
      wire.mute();
    });
    await until('it is done', async () => (await kept()).length === 1);
    wire.cut();
    expect(await keeping).toBe(1);
    expect([times, await kept()]).toEqual([1, [1]]);
  });

  it('whose commit did not come through is done again', async () => {
    let times = 0;
    const keeping = keep(2, () => {
      times += 1;
      if (times === 1) wire.hang();
    });
    await until('it has come to the commit', () => times === 1);
    wire.cut();
    expect(await keeping).toBe(2);
    expect([times, await kept()]).toEqual([2, [2]]);
  });

  it('that is refused is not done again', async () => {
    let times = 0;
    const refused = onceThroughOutage(
      pool,
      (client) => {
        times += 1;
        return client.query('INSERT INTO nowhere VALUES (1)');
      },
      within(30_000),
    );
    await expect(refused).rejects.toMatchObject({ code: '42P01' });
    expect(times).toBe(1);
  });
});

describe('an outage that does not end', () => {
  const away = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

  it('is waited out until the deadline', async () => {
    const told: boolean[] = [];
    const failed = throughOutage((again) => {
      told.push(again);
      return away();
    }, within(200));
    await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(told.slice(0, 2)).toEqual([false, true]);
  });

  it('is not waited out for nobody', async () => {
    const gone = new AbortController();
    const failed = throughOutage(away, { ...within(30_000), signal: gone.signal });
    gone.abort(new PilothouseError('LEASE_LOST', 'It is over'));
    await expect(failed).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});
