import { memoryLog, testServer, until } from '@pilothouse/testing';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
// The product's pool sets a parser for BIGINT in the whole process; the engine must live with it.
import { createPool, type Pool, type PoolClient } from '../pool.ts';
import { isAtomic } from './contention.ts';
import { dropDatabase, withClient, withDatabase } from './database.ts';
import { migrateDeploy } from './deploy.ts';
import { withMigrationLock } from './lock.ts';
import { migrationStatus } from './status.ts';

const deployFile = join(import.meta.dirname, 'deploy.ts');

const scripts = {
  // A function body, a text and a comment with semicolons: the script must reach PostgreSQL in one piece.
  '20260101000000_tables': `
    CREATE TABLE port (name text PRIMARY KEY); -- one; row a port
    INSERT INTO port VALUES ('Hull; east');
    CREATE FUNCTION ports() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM port); END; $$;`,
  '20260102000000_slow': `SELECT pg_sleep(0.4); INSERT INTO port VALUES ('Leith');`,
};

let databaseUrl: string;
let migrationsDir: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  databaseUrl = withDatabase(testServer(), `ph_migrate_${randomBytes(6).toString('hex')}`);
  migrationsDir = await mkdtemp(join(tmpdir(), 'migrations-'));
  await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
  for (const [name, sql] of Object.entries(scripts)) await addMigration(name, sql);
});

afterEach(async () => {
  await dropDatabase(databaseUrl, { force: true });
  await rm(migrationsDir, { recursive: true });
});

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(migrationsDir, name), { recursive: true });
  await writeFile(join(migrationsDir, name, 'migration.sql'), sql);
}

const deploy = (log = memoryLog()) => migrateDeploy({ databaseUrl, migrationsDir, log, signal });

const query = async (sql: string) =>
  withClient(databaseUrl, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

const portNames = async () => (await query('SELECT name FROM port ORDER BY name')).map(({ name }) => name);

test('a missing database is created and every migration applied, in order', async () => {
  expect((await migrationStatus(databaseUrl, migrationsDir)).databaseExists).toBe(false);

  expect(await deploy()).toEqual({ applied: Object.keys(scripts) });

  expect(await portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await query('SELECT ports()::int AS n')).toEqual([{ n: 2 }]);
  expect(await migrationStatus(databaseUrl, migrationsDir)).toEqual({
    databaseExists: true,
    upToDate: true,
    applied: Object.keys(scripts),
    pending: [],
    failed: [],
    edited: [],
    unknown: [],
  });
});

test('nothing to do is known with one question', async () => {
  const begun = performance.now();
  await deploy();
  const whole = performance.now() - begun;
  const pool = createPool({ databaseUrl, name: 'spec', log: memoryLog() });
  const counted = () => pool.query('SELECT count(*) AS n FROM _prisma_migrations').then(({ rows }) => rows);
  const before = await counted();

  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    expect(await deploy()).toEqual({ applied: [] });
    times.push(performance.now() - start);
  }

  // The engine of the migrations is not started for it.
  expect(Math.min(...times)).toBeLessThan(whole / 4);
  expect(await counted()).toEqual(before);
  await pool.end();
});

test('a later migration is applied alone', async () => {
  await deploy();
  await addMigration('20260103000000_more', `INSERT INTO port VALUES ('Tilbury');`);
  expect((await migrationStatus(databaseUrl, migrationsDir)).pending).toEqual(['20260103000000_more']);
  expect(await deploy()).toEqual({ applied: ['20260103000000_more'] });
  expect(await portNames()).toEqual(['Hull; east', 'Leith', 'Tilbury']);
});

test('of two processes at once one migrates and the other finds nothing to do', async () => {
  const program = `
    import { migrateDeploy } from ${JSON.stringify(deployFile)};
    const log = { info() {}, warn() {} };
    const [databaseUrl, migrationsDir] = process.argv.slice(1);
    console.log(JSON.stringify(await migrateDeploy({ databaseUrl, migrationsDir, log, signal: new AbortController().signal })));`;
  const start = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      program,
      databaseUrl,
      migrationsDir,
    ]);
    return JSON.parse(stdout) as { applied: string[] };
  };

  const results = await Promise.all([start(), start()]);

  expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 2]);
  expect(await portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await query('SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 2 }]);
});

test('a failing migration is named, leaves nothing behind, and stands in the way until it is resolved as the message says', async () => {
  const name = '20260103000000_twice';
  await addMigration(name, `INSERT INTO port VALUES ('Tilbury');\nINSERT INTO port VALUES ('Leith');`);
  await addMigration('20260104000000_after', `INSERT INTO port VALUES ('Dover');`);

  const error: unknown = await deploy().catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });
  const { message } = error as Error;
  expect(message).toContain(`Migration ${name} failed: duplicate key value violates unique constraint "port_pkey"`);
  expect(message).toContain('Key (name)=(Leith) already exists');
  expect(await portNames()).toEqual(['Hull; east', 'Leith']);
  expect(await migrationStatus(databaseUrl, migrationsDir)).toMatchObject({
    upToDate: false,
    failed: [name],
    pending: [name, '20260104000000_after'],
  });
  await expect(deploy()).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });

  const statement = /UPDATE _prisma_migrations .*? IS NULL;/.exec(message)?.[0] ?? '';
  await query(statement);
  await addMigration(name, `INSERT INTO port VALUES ('Tilbury');`);
  expect(await deploy()).toEqual({ applied: [name, '20260104000000_after'] });
  expect(await portNames()).toEqual(['Dover', 'Hull; east', 'Leith', 'Tilbury']);
  expect((await migrationStatus(databaseUrl, migrationsDir)).upToDate).toBe(true);
});

describe('a migration whose lock somebody else has', () => {
  const name = '20260103000000_column';
  const patience = { lockMs: 100, retryMs: 100, deadlineMs: 30_000 };
  const slow = { ...patience, lockMs: 30_000 };
  let writers: Pool;
  let holder: PoolClient;

  beforeEach(async () => {
    await deploy();
    await addMigration('20260102500000_before', `INSERT INTO port VALUES ('Dover');`);
    await addMigration(name, `INSERT INTO port VALUES ('Tilbury'); ALTER TABLE port ADD COLUMN depth int;`);
    writers = createPool({ databaseUrl, name: 'spec', log: memoryLog() });
    holder = await writers.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT * FROM port');
  });

  afterEach(async () => {
    holder.release(true);
    await writers.end();
  });

  test('lets writers through, and is applied when it is free', async () => {
    const log = memoryLog();
    const deployed = migrateDeploy({
      databaseUrl,
      migrationsDir,
      log,
      signal,
      patience: { ...patience, lockMs: 1_000 },
    });
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN%'`;
    await until('it waits for the lock', async () => (await writers.query(waits)).rowCount === 1);
    // Behind it, until it gives way.
    await writers.query(`INSERT INTO port VALUES ('Goole')`);
    await until('it says so', () => log.lines.some(({ level }) => level === 'warn'));
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(log.lines.find(({ level }) => level === 'warn')?.facts).toMatchObject({
      migration: name,
      oldest: { pid: rows[0]?.pid, name: 'pilothouse-spec' },
    });
    await holder.query('COMMIT');
    expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
    expect(await portNames()).toEqual(['Dover', 'Goole', 'Hull; east', 'Leith', 'Tilbury']);
    expect(await query('SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 4 }]);
  });

  test("gives up at the deadline, says who is in the way, and stands in nobody's way", async () => {
    const error: unknown = await migrateDeploy({
      databaseUrl,
      migrationsDir,
      log: memoryLog(),
      signal,
      patience: { ...patience, deadlineMs: 300 },
    }).catch((thrown: unknown) => thrown);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { migration: name } });
    expect((error as Error).message).toContain('lock timeout (SQLSTATE 55P03)');
    expect((error as Error).message).toContain(`SELECT pg_terminate_backend(${rows[0]?.pid});`);
    await writers.query(/SELECT pg_terminate_backend\(\d+\);/.exec((error as Error).message)?.[0] ?? '');
    expect(await deploy()).toEqual({ applied: [name] });
    expect(await portNames()).toEqual(['Dover', 'Hull; east', 'Leith', 'Tilbury']);
  });

  test('does not tell anybody to end a process that holds no table, however long it is open', async () => {
    const innocent = await writers.connect();
    try {
      await holder.query('ROLLBACK');
      await innocent.query('BEGIN; SELECT 1');
      await holder.query('BEGIN; SELECT * FROM port');
      const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const quick = { ...patience, deadlineMs: 0 };
      await expect(
        migrateDeploy({ databaseUrl, migrationsDir, log: memoryLog(), signal, patience: quick }),
      ).rejects.toThrow(`In the way may be process ${rows[0]?.pid} (pilothouse-spec)`);
    } finally {
      innocent.release(true);
    }
  });

  test('is tried again where only a comment speaks of what ends a transaction', async () => {
    await addMigration(
      name,
      `-- Not CONCURRENTLY: it's one commit.\nALTER TABLE port ADD COLUMN /* until\nthe commit */ depth int;`,
    );
    const log = memoryLog();
    const deployed = migrateDeploy({ databaseUrl, migrationsDir, log, signal, patience });
    await Promise.race([deployed, until('it was tried', () => log.lines.some(({ level }) => level === 'warn'))]);
    await holder.query('COMMIT');
    expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
  });

  test.each([
    `INSERT INTO port VALUES ('--'); COMMIT;`,
    `INSERT INTO port VALUES (E'it\\'s -- late'); COMMIT;`,
    `INSERT INTO port VALUES ($a$it's$a$), ('--'); COMMIT;`,
    `SELECT "--"; COMMIT;`,
    `/* one */ CREATE INDEX CONCURRENTLY ON port (name);`,
  ])('may have left something: %s', (script) => {
    expect(isAtomic(script)).toBe(false);
  });

  describe('and that makes an index beside those who write', () => {
    const script = `-- Ports by name.\nCREATE INDEX CONCURRENTLY "port_name_idx" ON port (name) WHERE name <> '';`;
    const isValid = () =>
      query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'port_name_idx'::regclass`);

    beforeEach(async () => {
      await addMigration(name, script);
      await holder.query(`INSERT INTO port VALUES ('Tilbury')`);
    });

    test('removes what a try left, and is made when it is free', async () => {
      const log = memoryLog();
      const deployed = migrateDeploy({ databaseUrl, migrationsDir, log, signal, patience });
      await Promise.race([deployed, until('it was tried', () => log.lines.some(({ level }) => level === 'warn'))]);
      expect(await isValid()).toEqual([{ valid: false }]);
      await holder.query('COMMIT');
      expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
      expect(await isValid()).toEqual([{ valid: true }]);
    });

    test('is begun anew by the next deploy where one died in the middle', async () => {
      const dying = migrateDeploy({ databaseUrl, migrationsDir, log: memoryLog(), signal, patience: slow }).catch(
        (thrown: unknown) => thrown,
      );
      const builds = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%CONCURRENTLY "port%'`;
      await until('it waits for who writes', async () => (await writers.query(builds)).rowCount === 1);
      await writers.query(`SELECT pg_terminate_backend(pid) FROM (${builds}) b`);
      expect(await dying).toMatchObject({ code: 'MIGRATION_FAILED' });
      expect(await isValid()).toEqual([{ valid: false }]);
      await holder.query('COMMIT');
      expect(await deploy()).toEqual({ applied: [name] });
      expect(await isValid()).toEqual([{ valid: true }]);
    });
  });

  test('waits as long as it takes where something of it may stay', async () => {
    await addMigration(
      name,
      `BEGIN; INSERT INTO port VALUES ('Tilbury'); COMMIT; ALTER TABLE port ADD COLUMN depth int;`,
    );
    const deployed = migrateDeploy({ databaseUrl, migrationsDir, log: memoryLog(), signal, patience });
    const waits = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE datname = current_database() AND locktype = 'relation' AND waitstart < now() - interval '300 ms'`;
    await Promise.race([deployed, until('it waits', async () => (await query(waits)).length === 1)]);
    await holder.query('COMMIT');
    expect(await deployed).toEqual({ applied: ['20260102500000_before', name] });
  });

  test('is not tried again on its own where something of it may have stayed', async () => {
    await addMigration(
      name,
      `BEGIN; INSERT INTO port VALUES ('Tilbury'); COMMIT; SET lock_timeout = 100; ALTER TABLE port ADD COLUMN depth int;`,
    );
    await expect(
      migrateDeploy({ databaseUrl, migrationsDir, log: memoryLog(), signal, patience }),
    ).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: name } });
  });

  test('ends its tries with the signal', async () => {
    const stop = new AbortController();
    const log = memoryLog();
    const deployed = migrateDeploy({ databaseUrl, migrationsDir, log, signal: stop.signal, patience });
    const ended = expect(deployed).rejects.toThrow('enough');
    await until('it was tried', () => log.lines.some(({ level }) => level === 'warn'));
    stop.abort(new Error('enough'));
    await ended;
    expect((await migrationStatus(databaseUrl, migrationsDir)).failed).toEqual([]);
  });
});

test('an edited migration and one of a newer version are seen', async () => {
  await deploy();
  await addMigration('20260101000000_tables', 'CREATE TABLE other (id int);');
  await rm(join(migrationsDir, '20260102000000_slow'), { recursive: true });

  expect(await migrationStatus(databaseUrl, migrationsDir)).toMatchObject({
    upToDate: false,
    edited: ['20260101000000_tables'],
    unknown: ['20260102000000_slow'],
  });
  const log = memoryLog();
  expect(await deploy(log)).toEqual({ applied: [] });
  expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', facts: { unknown: ['20260102000000_slow'] } })]);
});

test('the wait for another process ends at the deadline and with the signal', async () => {
  await deploy();
  await addMigration('20260103000000_more', `INSERT INTO port VALUES ('Tilbury');`);
  await withMigrationLock({ databaseUrl, deadlineMs: 1000, signal }, async () => {
    const other = withMigrationLock({ databaseUrl, deadlineMs: 150, signal }, async () => 'held');
    await expect(other).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const stop = AbortSignal.timeout(150);
    const stopped = migrateDeploy({ databaseUrl, migrationsDir, log: memoryLog(), signal: stop });
    await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' });
  });
  expect(await portNames()).toEqual(['Hull; east', 'Leith']);
});

test('a server that is away or knows no such login is said in a sentence', async () => {
  const away = migrateDeploy({
    databaseUrl: 'postgresql://u:p@127.0.0.1:1/x',
    migrationsDir,
    log: memoryLog(),
    signal,
  });
  await expect(away).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('cannot be reached'),
  });
  const stranger = new URL(databaseUrl);
  stranger.username = 'nobody_here';
  stranger.password = 'wrong-secret';
  const refused = await migrationStatus(stranger.href, migrationsDir).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('Set DATABASE_URL') });
  expect((refused as Error).message).not.toContain('wrong-secret');
});
