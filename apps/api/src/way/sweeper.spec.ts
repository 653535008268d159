import { systemClock } from '@pilothouse/core';
import { until } from '@pilothouse/testing';
import { LEASE_MS, useGateway } from '../testing/gateway.fixture.ts';
import { MAX_LOST } from './poison.ts';
import { Sweeper } from './sweeper.ts';

const house = useGateway();

/** The sweeper of one more replica, which sweeps only when it is told to. */
function replica(): Sweeper {
  const { pool, log, way } = house;
  const { writer, dispatch } = way;
  const sweeper = new Sweeper({
    pool,
    writer,
    dispatch,
    clock: systemClock,
    log,
    leaseMs: LEASE_MS,
    everyMs: 500,
    acceptMs: 2_000,
    maxLost: MAX_LOST,
    returnWheels: async () => undefined,
  });
  replicas.push(sweeper);
  return sweeper;
}
const replicas: Sweeper[] = [];
afterEach(() => Promise.all(replicas.splice(0).map((one) => one.stop())));

/** A run whose time to begin has passed. */
async function expired(): Promise<string> {
  const run = await house.submit({ expiresIn: 3_600 });
  await house.pool.query(`UPDATE run SET expires_at = now() - interval '1 second' WHERE id = $1`, [run]);
  return run;
}
const codeOf = async (run: string) => (await house.statusOf(run))?.error?.code;

it('sweeps in one replica at a time, and in another one when the first has lost its database', async () => {
  await house.way.sweeper.stop();
  const [first, second] = [replica(), replica()];
  await first.sweep();
  const run = await expired();
  await second.sweep();
  expect(await house.statusOf(run)).toMatchObject({ status: 'queued' });
  await first.sweep();
  expect(await codeOf(run)).toBe('RUN_EXPIRED');

  const next = await expired();
  await house.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database
     WHERE locktype = 'advisory' AND datname = current_database()`,
  );
  await until('the second replica sweeps', async () => {
    await second.sweep();
    return (await codeOf(next)) === 'RUN_EXPIRED';
  });
  const last = await expired();
  await expect(first.sweep()).rejects.toThrow();
  expect(await house.statusOf(last)).toMatchObject({ status: 'queued' });
});
