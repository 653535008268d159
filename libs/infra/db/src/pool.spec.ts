import { createDatabase, memoryLog, until, type TestDatabase } from '@pilothouse/testing';
import { createPool, inTransaction, type Pool } from './pool.ts';

describe('a connection that breaks', () => {
  let database: TestDatabase;
  let pool: Pool;
  let other: Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    other = createPool({ databaseUrl: database.url, name: 'other', log: memoryLog() });
  });

  afterAll(async () => {
    await pool.end();
    await other.end();
    await database.drop();
  });

  const end = (pid: number) => other.query('SELECT pg_terminate_backend($1)', [pid]);
  const pidOf = async (client: { query: Pool['query'] }) =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

  test('while somebody holds it ends no process', async () => {
    const client = await pool.connect();
    expect(client.listenerCount('error')).toBeGreaterThan(0);
    await end(await pidOf(client));
    await until('it is broken', () =>
      client.query('SELECT 1').then(
        () => false,
        () => true,
      ),
    );
    client.release(true);
  });

  test('because its machine lost its power is dropped by the server within seconds', async () => {
    const { rows } = await pool.query<{ ms: number }>(
      `SELECT 1000 * (current_setting('tcp_keepalives_idle')::int
         + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int) AS ms`,
    );
    expect(rows[0]?.ms).toBeLessThanOrEqual(11_000);
    expect((await pool.query('SHOW tcp_user_timeout')).rows).toEqual([{ tcp_user_timeout: '10000' }]);
  });

  test('in a transaction fails the transaction, and the next one goes', async () => {
    const broken = inTransaction(pool, async (client) => {
      await end(await pidOf(client));
      return client.query('SELECT 1');
    });
    await expect(broken).rejects.toThrow();
    expect(await inTransaction(pool, async (client) => (await client.query('SELECT 2 AS two')).rows)).toEqual([
      { two: 2 },
    ]);
  });
});
