import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createPrisma } from './prisma-client.ts';
import { createPool, inTransaction, withStatementTimeout, type Pool } from './pg-pool.ts';
import { runAsLeader } from './leadership.ts';
import { isDatabaseUnavailable } from './database-availability.ts';

describe('a connection that breaks', () => {
  let database: TestDatabase;
  let pool: Pool;
  let adminPool: Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    adminPool = createPool({ databaseUrl: database.url, name: 'other', log: memoryLog() });
  });

  afterAll(async () => {
    await pool.end();
    await adminPool.end();
    await database.drop();
  });

  const end = (pid: number) => adminPool.query('SELECT pg_terminate_backend($1)', [pid]);
  const pidOf = async (client: { query: Pool['query'] }) =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

  test('while in use ends no process', async () => {
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

  test('between two statements of its user counts as an unavailable database', async () => {
    const client = await pool.connect();
    const isEnded = new Promise((resolve) => client.once('end', () => resolve(true)));
    await end(await pidOf(client));
    await isEnded;
    const failure: unknown = await client.query('SELECT 1').catch((error: unknown) => error);
    expect([String(failure), isDatabaseUnavailable(failure)]).toEqual([expect.stringContaining('not queryable'), true]);
    client.release(true);
  });

  test('after a power loss of its machine is dropped by the server within seconds', async () => {
    const { rows } = await pool.query<{ ms: number }>(
      `SELECT 1000 * (current_setting('tcp_keepalives_idle')::int
         + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int) AS ms`,
    );
    expect(rows[0]?.ms).toBeLessThanOrEqual(11_000);
    expect((await pool.query('SHOW tcp_user_timeout')).rows).toEqual([{ tcp_user_timeout: '10000' }]);
  });

  test('in a transaction fails the transaction, and the next one succeeds', async () => {
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

describe('a server that does not answer', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let pool: Pool;

  beforeEach(async () => {
    database = await createDatabase();
    proxy = await startTcpProxy(database.url);
    pool = createPool({ databaseUrl: proxy.url, name: 'spec', max: 1, answerMs: 300, log: memoryLog() });
    await pool.query('SELECT 1');
  });

  afterEach(async () => {
    proxy.flow();
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  test.each<[string, () => Promise<unknown>]>([
    ['a statement', () => pool.query('SELECT 2')],
    ['a transaction', () => inTransaction(pool, (client) => client.query('SELECT 2'))],
    ['a leadership', () => runAsLeader(pool, 'proposals', async () => undefined)],
  ])('fails %s in time, and its connection is not reused', async (_, execute) => {
    proxy.hang();
    expect(isDatabaseUnavailable(await failureOf(execute()))).toBe(true);
    await until('the connection is closed', () => pool.totalCount === 0);
    proxy.flow();
    expect((await pool.query('SELECT 3 AS three')).rows).toEqual([{ three: 3 }]);
  });

  test('within a transaction of Prisma does not affect later writes', async () => {
    const outside = createPool({ databaseUrl: database.url, name: 'outside', log: memoryLog() });
    await outside.query('CREATE TABLE kept (n int)');
    const transaction = createPrisma(pool).$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO kept VALUES (1)`;
      proxy.hang();
      await tx.$executeRaw`INSERT INTO kept VALUES (2)`;
    });
    expect(isDatabaseUnavailable(await failureOf(transaction))).toBe(true);
    proxy.flow();
    await pool.query('INSERT INTO kept VALUES (3)');
    const { rows } = await outside.query('SELECT n FROM kept');
    await outside.end();
    expect(rows).toEqual([{ n: 3 }]);
  });

  test('is awaited by a statement with a longer timeout', async () => {
    const slept = await inTransaction(pool, (client) =>
      client.query(withStatementTimeout('SELECT 4 AS four, pg_sleep(0.5)', [], 1_000)),
    );
    expect(slept.rows).toMatchObject([{ four: 4 }]);
  });
});

/** Three seconds, plus the delays of a busy machine. */
const LIMIT_MS = 5_000;

describe('an unavailable server', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let pool: Pool;

  beforeEach(async () => {
    database = await createDatabase();
    proxy = await startTcpProxy(database.url);
    pool = createPool({ databaseUrl: proxy.url, name: 'spec', max: 2, log: memoryLog() });
    await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]);
  });

  afterEach(async () => {
    proxy.flow();
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  const timed = async (work: Promise<unknown>) => {
    const startedAt = performance.now();
    const failure = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    return { isUnavailable: isDatabaseUnavailable(failure), ms: performance.now() - startedAt };
  };

  test('fails statements within three seconds, also those that wait for a connection', async () => {
    proxy.hang();
    const transaction = inTransaction(pool, (client) => client.query('SELECT 2'));
    const statements = [transaction, ...Array.from({ length: 6 }, () => pool.query('SELECT 2'))];
    for (const { isUnavailable, ms } of await Promise.all(statements.map(timed))) {
      expect(isUnavailable).toBe(true);
      expect(ms).toBeLessThan(LIMIT_MS);
    }
    // New connections hang, too.
    const later = await timed(pool.query('SELECT 3'));
    expect(later.isUnavailable).toBe(true);
    expect(later.ms).toBeLessThan(LIMIT_MS);
    proxy.flow();
    await until('the server answers again', () =>
      pool.query('SELECT 4 AS four').then(
        ({ rows }) => rows[0],
        () => false,
      ),
    );
  });

  test('is distinguished from a slow statement, which is awaited', async () => {
    const { rows } = await pool.query('SELECT pg_sleep(3), 5 AS five');
    expect(rows).toMatchObject([{ five: 5 }]);
    const slow = await inTransaction(pool, (client) => client.query('SELECT pg_sleep(3), 6 AS six'));
    expect(slow.rows).toMatchObject([{ six: 6 }]);
  });
});

test.each(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', '57P01', '57P03'])(
  '%s counts as an unavailable database, also as the cause of another error',
  (code) => {
    const error = Object.assign(new Error('failed'), { code });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(isDatabaseUnavailable(new Error('outer', { cause: error }))).toBe(true);
    expect(isDatabaseUnavailable(new AggregateError([error]))).toBe(true);
  },
);
