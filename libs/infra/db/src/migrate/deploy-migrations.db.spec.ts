import { testServer } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPool } from '../client/pg-pool.ts';
import { createDatabase, withMigrationLock } from './pg-database.ts';
import { createMigrations, deployProgram, migrationScripts, type Migrations } from './migrations.fixture.ts';
import { migrationStatus } from './migration-status.ts';

let migrations: Migrations;
const signal = new AbortController().signal;

const status = () => migrationStatus(migrations.databaseUrl, migrations.migrationsDir);

beforeEach(async () => {
  migrations = await createMigrations(testServer());
});

afterEach(async () => {
  await migrations.drop();
});

test('a missing database is created and every migration applied, in order', async () => {
  expect((await status()).databaseExists).toBe(false);

  expect(await migrations.deploy()).toEqual({ applied: Object.keys(migrationScripts) });

  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await migrations.query('SELECT ports()::int AS n')).toEqual([{ n: 2 }]);
  expect(await status()).toEqual({
    databaseExists: true,
    upToDate: true,
    applied: Object.keys(migrationScripts),
    pending: [],
    failed: [],
    edited: [],
    unknown: [],
  });
});

test('an up-to-date database needs one query', async () => {
  const startedAt = performance.now();
  await migrations.deploy();
  const firstDeployMs = performance.now() - startedAt;
  const pool = createPool({ databaseUrl: migrations.databaseUrl, name: 'spec', log: memoryLog() });
  const countRecords = () => pool.query('SELECT count(*) AS n FROM _prisma_migrations').then(({ rows }) => rows);
  const previousRecords = await countRecords();

  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    expect(await migrations.deploy()).toEqual({ applied: [] });
    times.push(performance.now() - start);
  }

  // It neither takes the lock nor reads the scripts.
  expect(Math.min(...times)).toBeLessThan(firstDeployMs / 4);
  expect(await countRecords()).toEqual(previousRecords);
  await pool.end();
});

test('only a later migration is applied', async () => {
  await migrations.deploy();
  await migrations.add('20260103000000_more', `INSERT INTO port VALUES ('Tilbury');`);
  expect((await status()).pending).toEqual(['20260103000000_more']);
  expect(await migrations.deploy()).toEqual({ applied: ['20260103000000_more'] });
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith', 'Tilbury']);
});

test('of two concurrent processes one migrates and the other has nothing to do', async () => {
  const start = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, deployProgram(migrations));
    return JSON.parse(stdout) as { applied: string[] };
  };

  const results = await Promise.all([start(), start()]);

  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 2]);
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await migrations.query('SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 2 }]);
});

test('a failed migration is named, leaves nothing behind, and blocks others until it is resolved as described', async () => {
  const name = '20260103000000_twice';
  await migrations.add(name, `INSERT INTO port VALUES ('Tilbury');\nINSERT INTO port VALUES ('Leith');`);
  await migrations.add('20260104000000_after', `INSERT INTO port VALUES ('Dover');`);

  const error: unknown = await migrations.deploy().catch((error: unknown) => error);

  expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });
  const { message } = error as Error;
  expect(message).toContain(`Migration ${name} failed: duplicate key value violates unique constraint "port_pkey"`);
  expect(message).toContain('Key (name)=(Leith) already exists');
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await status()).toMatchObject({
    upToDate: false,
    failed: [name],
    pending: [name, '20260104000000_after'],
  });
  await expect(migrations.deploy()).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });

  const statement = /UPDATE _prisma_migrations .*? IS NULL;/.exec(message)?.[0] ?? '';
  await migrations.query(statement);
  await migrations.add(name, `INSERT INTO port VALUES ('Tilbury');`);
  expect(await migrations.deploy()).toEqual({ applied: [name, '20260104000000_after'] });
  expect(await migrations.portNames()).toEqual(['Dover', 'Hull; east', 'Leith', 'Tilbury']);
  expect((await status()).upToDate).toBe(true);
});

test('session settings of a script do not reach the next one', async () => {
  await migrations.add(
    '20260103000000_settings',
    `SELECT set_config('search_path', '', false); SET statement_timeout = 1; SET ROLE pg_read_all_data;`,
  );
  await migrations.add('20260104000000_after', `SELECT pg_sleep(0.05); INSERT INTO port VALUES ('Dover');`);
  expect((await migrations.deploy()).applied).toHaveLength(4);
  expect(await migrations.portNames()).toEqual(['Dover', 'Hull; east', 'Leith']);
  expect((await status()).upToDate).toBe(true);
});

test('a script that leaves a transaction open fails and is rolled back', async () => {
  const name = '20260103000000_open';
  await migrations.add(name, `BEGIN; INSERT INTO port VALUES ('Dover');`);
  await migrations.add('20260104000000_after', `INSERT INTO port VALUES ('Goole');`);
  const error: unknown = await migrations.deploy().catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });
  expect((error as Error).message).toContain('leaves a transaction open');
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
  expect((await status()).failed).toEqual([name]);
});

test('a schema with foreign tables is rejected, and nothing is created in it', async () => {
  await createDatabase(migrations.databaseUrl);
  await migrations.query('CREATE TABLE harbour (id int)');
  await expect(migrations.deploy()).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining('the table "harbour"'),
  });
  expect(await migrations.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
    { tablename: 'harbour' },
  ]);
});

test('a migration without a file stops the deploy before anything is applied', async () => {
  await mkdir(join(migrations.migrationsDir, '20260103000000_empty'));
  await expect(migrations.deploy()).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining('the migration.sql of 20260103000000_empty cannot be read'),
  });
  expect(await status()).toMatchObject({ applied: [], failed: [] });
});

test('a database with an edited migration is refused', async () => {
  await migrations.deploy();
  const name = '20260101000000_tables';
  await migrations.add(name, migrationScripts[name].replaceAll('\n', '\r\n'));
  expect(await migrations.deploy()).toEqual({ applied: [] });

  await migrations.add(name, 'CREATE TABLE other (id int);');
  await migrations.add('20260103000000_more', `INSERT INTO port VALUES ('Tilbury');`);
  expect(await status()).toMatchObject({ upToDate: false, edited: [name], pending: ['20260103000000_more'] });
  await expect(migrations.deploy()).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    message: expect.stringContaining(`its migration ${name} has a different text`),
  });
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
});

test('a migration of a newer version is reported', async () => {
  await migrations.deploy();
  await rm(join(migrations.migrationsDir, '20260102000000_slow'), { recursive: true });

  expect(await status()).toMatchObject({
    upToDate: true,
    unknown: ['20260102000000_slow'],
  });
  const log = memoryLog();
  expect(await migrations.deploy({ log })).toEqual({ applied: [] });
  expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', facts: { unknown: ['20260102000000_slow'] } })]);
});

test('the wait for another process ends at the deadline and with the signal', async () => {
  await migrations.deploy();
  await migrations.add('20260103000000_more', `INSERT INTO port VALUES ('Tilbury');`);
  await withMigrationLock({ databaseUrl: migrations.databaseUrl, deadlineMs: 1000, signal }, async () => {
    const secondLock = withMigrationLock(
      { databaseUrl: migrations.databaseUrl, deadlineMs: 150, signal },
      async () => 'held',
    );
    await expect(secondLock).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const stop = AbortSignal.timeout(150);
    const aborted = migrations.deploy({ signal: stop });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
  });
  expect(await migrations.portNames()).toEqual(['Hull; east', 'Leith']);
});

test('an unavailable server and a rejected login are reported in a sentence', async () => {
  const unreachable = migrations.deploy({ databaseUrl: 'postgresql://u:p@127.0.0.1:1/x' });
  await expect(unreachable).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('cannot be reached'),
  });
  const wrongLogin = new URL(migrations.databaseUrl);
  wrongLogin.username = 'unknown_login';
  wrongLogin.password = 'wrong-secret';
  const error = await migrationStatus(wrongLogin.href, migrations.migrationsDir).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('Set DATABASE_URL') });
  expect((error as Error).message).not.toContain('wrong-secret');
});
