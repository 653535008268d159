import { testServer } from '@pilothouse/testing/test-database';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabase, withClient, replaceDatabaseName } from '../../libs/infra/db/src/migrate/pg-database.ts';
import { prismaCli, repositoryRoot } from '../../libs/infra/db/src/migrate/prisma-engine/prisma-cli.fixture.ts';

let databaseUrl: string;
let folder: string;

const model = (more = '') => `
  datasource db {
    provider = "postgresql"
  }
  model Port {
    id   Int    @id @default(autoincrement())
    name String @unique
    ${more}
  }`;

beforeAll(async () => {
  databaseUrl = replaceDatabaseName(testServer(), `ph_cli_${randomBytes(6).toString('hex')}`);
  folder = await mkdtemp(join(tmpdir(), 'prisma-cli-'));
  // The repository's own configuration, so that its settings are tested too, with another schema.
  await writeFile(
    join(folder, 'prisma.config.ts'),
    `import base from ${JSON.stringify(join(repositoryRoot, 'prisma.config.ts'))};
     export default { ...base, schema: 'schema.prisma', migrations: { path: 'migrations' } };`,
  );
  await writeFile(join(folder, 'schema.prisma'), model());
});

afterAll(async () => {
  await dropDatabase(databaseUrl, { force: true });
  await rm(folder, { recursive: true });
});

/** Runs the CLI as a developer does. */
const prisma = (...args: string[]) => prismaWith({ DATABASE_URL: databaseUrl }, args);

const prismaWith = (more: NodeJS.ProcessEnv, args: string[]) =>
  prismaCli([...args, '--config', join(folder, 'prisma.config.ts')], more);

const query = async (url: string, sql: string) =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

const migrations = async () => (await readdir(join(folder, 'migrations'))).filter((name) => !name.includes('.'));

const drift = () =>
  prisma('migrate', 'diff', '--from-config-datasource', '--to-schema', join(folder, 'schema.prisma'), '--exit-code');

test('migrate dev creates the database, writes the migration and applies it', async () => {
  const { code, output } = await prisma('migrate', 'dev', '--name', 'ports');
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Your database is now in sync') });
  const [name = ''] = await migrations();
  expect(name).toMatch(/^\d{14}_ports$/);
  expect(await readFile(join(folder, 'migrations', name, 'migration.sql'), 'utf8')).toContain('CREATE TABLE "Port"');
  expect(await query(databaseUrl, 'SELECT migration_name FROM _prisma_migrations')).toEqual([{ migration_name: name }]);
});

test('a second migrate dev with nothing changed writes nothing', async () => {
  const { code, output } = await prisma('migrate', 'dev', '--name', 'again');
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Already in sync') });
  expect(await migrations()).toHaveLength(1);
});

test('status and diff report no problem', async () => {
  const status = await prisma('migrate', 'status');
  expect(status).toMatchObject({ code: 0, output: expect.stringContaining('Database schema is up to date!') });
  expect(await drift()).toMatchObject({ code: 0, output: expect.stringContaining('No difference detected') });
});

test('diff exits with 2 and prints the difference between schema and database', async () => {
  await writeFile(join(folder, 'schema.prisma'), model('harbour String?'));
  expect(await drift()).toMatchObject({ code: 2, output: expect.stringContaining('Added column `harbour`') });
});

test('status answers 1 while a migration is pending, and deploy applies it', async () => {
  expect(await prisma('migrate', 'dev', '--create-only', '--name', 'harbour')).toMatchObject({ code: 0 });
  const status = await prisma('migrate', 'status');
  expect(status).toMatchObject({ code: 1, output: expect.stringContaining('have not yet been applied') });
  expect(await prisma('migrate', 'deploy')).toMatchObject({ code: 0 });
  expect(await drift()).toMatchObject({ code: 0 });
});

test('migrate dev refuses a database that was changed manually', async () => {
  await query(databaseUrl, 'ALTER TABLE "Port" ADD COLUMN secret text');
  const { code, output } = await prisma('migrate', 'dev', '--name', 'drift');
  expect(code).not.toBe(0);
  expect(output).toContain('Drift detected');
  expect(await drift()).toMatchObject({ code: 2 });
});

test('a migration with invalid SQL fails with the message of PostgreSQL', async () => {
  expect(await prisma('migrate', 'reset', '--force')).toMatchObject({ code: 0 });
  const [, name = ''] = await migrations();
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), 'ALTER TABLE "Ship" ADD COLUMN x int;');
  const { code, output } = await prisma('migrate', 'reset', '--force');
  expect(code).not.toBe(0);
  expect(output).toContain(`Migration ${name} failed: relation "Ship" does not exist`);
});

test('comparing two schemas needs no database', async () => {
  const args = ['migrate', 'diff', '--from-empty', '--to-schema', join(folder, 'schema.prisma'), '--script'];
  const { code, output } = await prismaWith({}, args);
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('CREATE TABLE "Port"') });
});

test('no shadow database is left', async () => {
  const remaining = await query(
    replaceDatabaseName(databaseUrl, 'postgres'),
    `SELECT datname FROM pg_database WHERE datname LIKE 'prisma_migrate_shadow%'`,
  );
  expect(remaining).toEqual([]);
});
