/** The Prisma CLI and the deployment on one database: each reads the history of the other. */
import { testServer } from '@pilothouse/testing/test-database';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropDatabase, withClient } from './pg-database.ts';
import { checksum, migrationStatus } from './migration-status.ts';
import { createMigrations, migrationScripts, type Migrations } from './migrations.fixture.ts';
import { prismaCli, repositoryRoot } from './prisma-engine/prisma-cli.fixture.ts';

const names = Object.keys(migrationScripts);
const later = '20260103000000_later';
let migrations: Migrations;

beforeEach(async () => {
  migrations = await createMigrations(testServer());
  const config = `import base from ${JSON.stringify(join(repositoryRoot, 'prisma.config.ts'))};
     export default { ...base, schema: 'schema.prisma', migrations: { path: '.' } };`;
  await writeFile(join(migrations.migrationsDir, 'prisma.config.ts'), config);
  const schema = 'datasource db {\n  provider = "postgresql"\n}\n';
  await writeFile(join(migrations.migrationsDir, 'schema.prisma'), schema);
});

afterEach(async () => {
  await migrations.drop();
});

/** Runs `prisma migrate` on a database. */
const prisma = (of: Migrations, ...args: string[]) =>
  prismaCli(['migrate', ...args, '--config', join(of.migrationsDir, 'prisma.config.ts')], {
    DATABASE_URL: of.databaseUrl,
  });

const status = () => migrationStatus(migrations.databaseUrl, migrations.migrationsDir);

const upToDate = { code: 0, output: expect.stringContaining('Database schema is up to date!') };

/** The history table, without values that differ between runs. */
async function readHistory() {
  const columns = await migrations.query(
    `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
     FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
  );
  const indexes = await migrations.query(`SELECT indexdef FROM pg_indexes WHERE tablename = '_prisma_migrations'`);
  const records = await migrations.query(
    `SELECT length(id) AS id_length, id::uuid IS NOT NULL AS is_uuid, checksum, migration_name, logs, rolled_back_at, applied_steps_count,
       finished_at >= started_at AS finished FROM _prisma_migrations ORDER BY started_at`,
  );
  return { columns, indexes, records };
}

test('a deploy leaves the same history as `prisma migrate deploy`, and `prisma migrate status` agrees', async () => {
  expect(await prisma(migrations, 'deploy')).toMatchObject({ code: 0 });
  const expected = await readHistory();
  expect(expected.records).toHaveLength(names.length);
  await dropDatabase(migrations.databaseUrl, { force: true });

  expect(await migrations.deploy()).toEqual({ applied: names });

  expect(await readHistory()).toEqual(expected);
  expect(await prisma(migrations, 'status')).toMatchObject(upToDate);
});

test('each applies the pending migrations of the other', async () => {
  await migrations.deploy();
  await migrations.add(later, `INSERT INTO port VALUES ('Tilbury');`);
  const pending = { code: 1, output: expect.stringContaining(`have not yet been applied:\n${later}`) };
  expect(await prisma(migrations, 'status')).toMatchObject(pending);

  expect(await prisma(migrations, 'deploy')).toMatchObject({ code: 0 });
  expect(await migrations.deploy()).toEqual({ applied: [] });
  expect(await status()).toMatchObject({ upToDate: true, applied: [...names, later] });

  await migrations.add('20260104000000_last', `INSERT INTO port VALUES ('Goole');`);
  expect(await migrations.deploy()).toEqual({ applied: ['20260104000000_last'] });
  expect(await prisma(migrations, 'status')).toMatchObject(upToDate);
  expect(await migrations.portNames()).toEqual(['Goole', 'Hull; east', 'Leith', 'Tilbury']);
});

test('a migration that failed in a deploy also stops the Prisma CLI until it is resolved', async () => {
  const script = `INSERT INTO port VALUES ('Leith');`;
  await migrations.add(later, script);
  await expect(migrations.deploy()).rejects.toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: later } });

  const records = `SELECT checksum, finished_at, rolled_back_at, applied_steps_count, logs FROM _prisma_migrations WHERE migration_name = '${later}'`;
  const [record] = await migrations.query(records);
  expect(record).toMatchObject({
    checksum: checksum(script),
    finished_at: null,
    rolled_back_at: null,
    applied_steps_count: 0,
  });
  expect(record?.['logs']).toContain(
    `Migration name: ${later}\n\nDatabase error code: 23505\n\nDatabase error:\nERROR: duplicate key value violates unique constraint "port_pkey"\nDETAIL: Key (name)=(Leith) already exists.`,
  );
  const stuck = { code: 1, output: expect.stringContaining(`have failed:\n${later}`) };
  expect(await prisma(migrations, 'status')).toMatchObject(stuck);
  expect(await prisma(migrations, 'deploy')).toMatchObject({ code: 1, output: expect.stringContaining('P3009') });

  // As in the error message of the deploy.
  expect(await prisma(migrations, 'resolve', '--rolled-back', later)).toMatchObject({ code: 0 });
  await migrations.add(later, `INSERT INTO port VALUES ('Tilbury');`);
  expect(await migrations.deploy()).toEqual({ applied: [later] });
  expect(await prisma(migrations, 'status')).toMatchObject(upToDate);
});

test('a migration that failed in the Prisma CLI is named by the next deploy', async () => {
  await migrations.add(later, `INSERT INTO port VALUES ('Leith');`);
  expect(await prisma(migrations, 'deploy')).toMatchObject({ code: 1, output: expect.stringContaining(later) });
  const error: unknown = await migrations.deploy().catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { migration: later, failed: [later] } });
  expect((error as Error).message).toContain(`Migration ${later} failed at an earlier start`);
});

test('a deploy waits for a migrating Prisma CLI', async () => {
  await migrations.deploy();
  await migrations.add(later, `INSERT INTO port VALUES ('Tilbury');`);
  await withClient(migrations.databaseUrl, async (client) => {
    // Simulates the lock of the CLI.
    await client.query('SELECT pg_advisory_lock(72707369)');
    await expect(migrations.deploy({ signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
  expect(await migrations.deploy()).toEqual({ applied: [later] });
});
