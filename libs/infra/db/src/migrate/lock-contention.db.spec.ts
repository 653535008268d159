/** Tests a migration whose lock another session holds. */
import { testServer } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { isTransactional, type LockRetryPolicy } from './lock-contention.ts';
import { createMigrations, type Migrations } from './migrations.fixture.ts';
import { migrationStatus } from './migration-status.ts';

const name = '20260103000000_column';
const lockRetryPolicy: LockRetryPolicy = {
  lockMs: 100,
  indexMs: 100,
  reportEveryMs: 60_000,
  retryMs: 100,
  deadlineMs: 30_000,
};
let migrations: Migrations;
let writers: Pool;
let holder: PoolClient;

beforeEach(async () => {
  migrations = await createMigrations(testServer());
  await migrations.deploy();
  await migrations.add('20260102500000_before', `INSERT INTO port VALUES ('Dover');`);
  await migrations.add(name, `INSERT INTO port VALUES ('Tilbury'); ALTER TABLE port ADD COLUMN depth int;`);
  writers = createPool({ databaseUrl: migrations.databaseUrl, name: 'spec', log: memoryLog() });
  holder = await writers.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT * FROM port');
});

afterEach(async () => {
  holder.release(true);
  await writers.end();
  await migrations.drop();
});

test('lets writers proceed, and is applied once the lock is free', async () => {
  const log = memoryLog();
  const deployed = migrations.deploy({ log, lockRetryPolicy: { ...lockRetryPolicy, lockMs: 1_000 } });
  const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN%'`;
  await until('it waits for the lock', async () => (await writers.query(waits)).rowCount === 1);
  // It waits behind the migration until the migration gives up.
  await writers.query(`INSERT INTO port VALUES ('Goole')`);
  await until('the wait is logged', () => log.lines.some(({ level }) => level === 'warn'));
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  expect(log.lines.find(({ level }) => level === 'warn')?.facts).toMatchObject({
    migration: name,
    oldest: { pid: rows[0]?.pid, name: 'pilothouse-spec' },
  });
  await holder.query('COMMIT');
  expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
  expect(await migrations.portNames()).toEqual(['Dover', 'Goole', 'Hull; east', 'Leith', 'Tilbury']);
  expect(await migrations.query('SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 4 }]);
});

test('fails at the deadline, names the blocking session, and blocks no other session', async () => {
  const error: unknown = await migrations
    .deploy({ lockRetryPolicy: { ...lockRetryPolicy, deadlineMs: 300 } })
    .catch((reason: unknown) => reason);
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { migration: name } });
  expect((error as Error).message).toContain('lock timeout (SQLSTATE 55P03)');
  expect((error as Error).message).toContain(`SELECT pg_terminate_backend(${rows[0]?.pid});`);
  await writers.query(/SELECT pg_terminate_backend\(\d+\);/.exec((error as Error).message)?.[0] ?? '');
  expect(await migrations.deploy()).toEqual({ applied: [name] });
  expect(await migrations.portNames()).toEqual(['Dover', 'Hull; east', 'Leith', 'Tilbury']);
});

test('has its whole deadline, however long the migrations before it took', async () => {
  await migrations.add('20260102500000_before', `SELECT pg_sleep(0.5)`);
  const log = memoryLog();
  const policy = { ...lockRetryPolicy, deadlineMs: 300 };
  await expect(migrations.deploy({ log, lockRetryPolicy: policy })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(log.lines.filter(({ level }) => level === 'warn')).not.toEqual([]);
});

test('never suggests to end a process that holds no table lock, however long it is connected', async () => {
  const innocent = await writers.connect();
  try {
    await holder.query('ROLLBACK');
    await innocent.query('BEGIN; SELECT 1');
    await holder.query('BEGIN; SELECT * FROM port');
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const policy = { ...lockRetryPolicy, deadlineMs: 0 };
    await expect(migrations.deploy({ lockRetryPolicy: policy })).rejects.toThrow(
      `It may be blocked by process ${rows[0]?.pid} (pilothouse-spec)`,
    );
  } finally {
    innocent.release(true);
  }
});

test('is retried if only a comment mentions a transaction command', async () => {
  await migrations.add(
    name,
    `-- Not CONCURRENTLY: it's one commit.\nALTER TABLE port ADD COLUMN /* until\nthe commit */ depth int;`,
  );
  const log = memoryLog();
  const deployed = migrations.deploy({ log, lockRetryPolicy });
  await Promise.race([deployed, until('it was tried', () => log.lines.some(({ level }) => level === 'warn'))]);
  await holder.query('COMMIT');
  expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
});

test('waits without a limit if a failure could leave something behind', async () => {
  await migrations.add(
    name,
    `BEGIN; INSERT INTO port VALUES ('Tilbury'); COMMIT; ALTER TABLE port ADD COLUMN depth int;`,
  );
  const deployed = migrations.deploy({ lockRetryPolicy });
  const waits = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
    WHERE datname = current_database() AND locktype = 'relation' AND waitstart < now() - interval '300 ms'`;
  await Promise.race([deployed, until('it waits', async () => (await migrations.query(waits)).length === 1)]);
  await holder.query('COMMIT');
  expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
});

test('is not retried automatically if a failure could have left something behind', async () => {
  await migrations.add(
    name,
    `BEGIN; INSERT INTO port VALUES ('Tilbury'); COMMIT; SET lock_timeout = 100; ALTER TABLE port ADD COLUMN depth int;`,
  );
  await expect(migrations.deploy({ lockRetryPolicy })).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    details: { migration: name },
  });
});

test('stops retrying with the signal', async () => {
  const stop = new AbortController();
  const log = memoryLog();
  const deployed = migrations.deploy({ log, signal: stop.signal, lockRetryPolicy });
  const rejection = expect(deployed).rejects.toThrow('enough');
  await until('it was tried', () => log.lines.some(({ level }) => level === 'warn'));
  stop.abort(new Error('enough'));
  await rejection;
  expect((await migrationStatus(migrations.databaseUrl, migrations.migrationsDir)).failed).toEqual([]);
});

test.each([
  `INSERT INTO port VALUES ('--'); COMMIT;`,
  `INSERT INTO port VALUES (E'it\\'s -- late'); COMMIT;`,
  `INSERT INTO port VALUES ($a$it's$a$), ('--'); COMMIT;`,
  `SELECT "--"; COMMIT;`,
  `/* one */ CREATE INDEX CONCURRENTLY ON port (name);`,
])('may have left something: %s', (script) => {
  expect(isTransactional(script)).toBe(false);
});
