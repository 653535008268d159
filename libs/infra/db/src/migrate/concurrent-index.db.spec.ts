/** Tests a migration that builds an index concurrently with writers. */
import { testServer } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { execFile } from 'node:child_process';
import { createPool, type Pool, type PoolClient } from '../client/pg-pool.ts';
import type { LockRetryPolicy } from './lock-contention.ts';
import { createMigrations, deployProgram, type Migrations } from './migrations.fixture.ts';
import { migrationStatus } from './migration-status.ts';

const name = '20260103000000_index';
const script = `-- Ports by name.\nCREATE INDEX CONCURRENTLY "port_name_idx" ON port (name) WHERE name <> '';`;
/** Long limits for the index build, and minimal ones for all other locks. */
const lockRetryPolicy: LockRetryPolicy = {
  lockMs: 100,
  indexMs: 60_000,
  reportEveryMs: 60_000,
  retryMs: 100,
  deadlineMs: 0,
};
let migrations: Migrations;
let writers: Pool;
let holder: PoolClient;

beforeEach(async () => {
  migrations = await createMigrations(testServer());
  await migrations.deploy();
  await migrations.add(name, script);
  writers = createPool({ databaseUrl: migrations.databaseUrl, name: 'spec', log: memoryLog() });
  holder = await writers.connect();
});

afterEach(async () => {
  holder.release(true);
  await writers.end();
  await migrations.drop();
});

const isValid = () =>
  migrations.query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('port_name_idx')`);

const hasWarned = (log: ReturnType<typeof memoryLog>) => log.lines.some(({ level }) => level === 'warn');

const waitedFor = (log: ReturnType<typeof memoryLog>) =>
  log.lines.flatMap(({ facts }) => ('waitsFor' in facts ? (facts.waitsFor as { pid: number; name: string }[]) : []));

const builds = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%CONCURRENTLY "port%'`;

/** Opens a transaction that writes to the table. */
const write = () => holder.query(`BEGIN; INSERT INTO port VALUES ('Tilbury')`);

/** Opens a transaction that reads, like a dump of the database. */
const read = () => holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');

const holderPid = async () => (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;

test('the build survives an older snapshot, and blocks no other session', async () => {
  await read();
  // Settings of a managed database, and a connection string with an application name.
  await migrations.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 4000', current_database()); END $$`,
  );
  const databaseUrl = `${migrations.databaseUrl}?application_name=mine`;
  const log = memoryLog();
  const deployed = migrations.deploy({ databaseUrl, log, lockRetryPolicy: { ...lockRetryPolicy, reportEveryMs: 100 } });
  const waits = `SELECT p.current_locker_pid AS pid FROM pg_stat_progress_create_index p JOIN pg_locks l USING (pid)
    WHERE phase = 'waiting for old snapshots' AND p.datname = current_database() AND l.waitstart < now() - interval '4100 ms'`;
  const snapshotWait = until('it waits for the snapshot', async () => (await migrations.query(waits))[0]);
  expect(await Promise.race([deployed, snapshotWait])).toEqual({ pid: await holderPid() });
  const pid = await holderPid();
  await until('the blocking session is logged', () =>
    waitedFor(log).some((blocker) => blocker.pid === pid && blocker.name === 'pilothouse-spec'),
  );
  await writers.query(`INSERT INTO port VALUES ('Goole')`);
  await holder.query('COMMIT');
  expect(await deployed).toEqual({ applied: [name] });
  expect(await isValid()).toEqual([{ valid: true }]);
});

test('removes the remains of an attempt, and is created once the table is free', async () => {
  await write();
  const log = memoryLog();
  const deployed = migrations.deploy({
    log,
    lockRetryPolicy: { ...lockRetryPolicy, indexMs: 100, deadlineMs: 30_000 },
  });
  await Promise.race([deployed, until('it was tried', () => hasWarned(log))]);
  expect(await isValid()).toEqual([{ valid: false }]);
  await holder.query('COMMIT');
  expect(await deployed).toEqual({ applied: [name] });
  expect(await isValid()).toEqual([{ valid: true }]);
});

test('fails after its deadline, and reports the remains, the next step and the blocking session', async () => {
  await read();
  const error: unknown = await migrations
    .deploy({ lockRetryPolicy: { ...lockRetryPolicy, indexMs: 100 } })
    .catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { migration: name } });
  const { message } = error as Error;
  expect(message).toContain('An unfinished index "port_name_idx" may remain');
  expect(message).toContain(`It may be blocked by process ${await holderPid()} (pilothouse-spec)`);
  expect(message).not.toContain('It left no changes');
  expect(await isValid()).toEqual([{ valid: false }]);
  await writers.query(/DROP INDEX .*?"port_name_idx"/.exec(message)?.[0] ?? '');
  expect(await isValid()).toEqual([]);
});

test('reports conflicting data, and the next start needs no manual cleanup', async () => {
  await migrations.add(name, script.replace('INDEX', 'UNIQUE INDEX').replace('(name)', '((left(name, 1)))'));
  await migrations.query(`INSERT INTO port VALUES ('Harwich')`);
  const error: unknown = await migrations.deploy({ lockRetryPolicy }).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });
  const { message } = error as Error;
  expect(message).toContain('Key ("left"(name, 1))=(H) is duplicated');
  expect(message).toContain('An unfinished index "port_name_idx" may remain');
  expect(message).not.toContain('_prisma_migrations');
  expect(await isValid()).toEqual([{ valid: false }]);
  await migrations.query(`DELETE FROM port WHERE name = 'Harwich'`);
  expect(await migrations.deploy({ lockRetryPolicy })).toEqual({ applied: [name] });
  expect(await isValid()).toEqual([{ valid: true }]);
});

test('is rebuilt by the next deploy after a crash during the build', async () => {
  await write();
  const dying = migrations.deploy({ lockRetryPolicy }).catch((error: unknown) => error);
  await until('it waits for the writer', async () => (await writers.query(builds)).rowCount === 1);
  await writers.query(`SELECT pg_terminate_backend(pid) FROM (${builds}) b`);
  expect(await dying).toMatchObject({ code: 'MIGRATION_FAILED' });
  expect(await isValid()).toEqual([{ valid: false }]);
  await holder.query('COMMIT');
  expect(await migrations.deploy({ lockRetryPolicy })).toEqual({ applied: [name] });
  expect(await isValid()).toEqual([{ valid: true }]);
});

test('the build ends with its process, and the next one repeats it', async () => {
  await write();
  const killed = execFile(process.execPath, deployProgram(migrations));
  await until('it waits for the writer', async () => (await writers.query(builds)).rowCount === 1);
  killed.kill('SIGKILL');
  await until('the build has ended', async () => (await writers.query(builds)).rowCount === 0);
  expect(await isValid()).toEqual([{ valid: false }]);
  expect((await migrationStatus(migrations.databaseUrl, migrations.migrationsDir)).failed).toEqual([name]);
  await holder.query('COMMIT');
  expect(await migrations.deploy({ lockRetryPolicy })).toEqual({ applied: [name] });
  expect(await isValid()).toEqual([{ valid: true }]);
});
