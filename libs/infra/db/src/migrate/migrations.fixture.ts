import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabase, withClient, replaceDatabaseName } from './pg-database.ts';
import { migrateDeploy, type MigrateOptions, type MigrateResult } from './deploy-migrations.ts';

export const migrationScripts = {
  // Contains a function body, a text and a comment with semicolons: the script must reach PostgreSQL in one piece.
  '20260101000000_tables': `
    CREATE TABLE port (name text PRIMARY KEY); -- one; row a port
    INSERT INTO port VALUES ('Hull; east');
    CREATE FUNCTION ports() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM port); END; $$;`,
  '20260102000000_slow': `SELECT pg_sleep(0.4); INSERT INTO port VALUES ('Leith');`,
};

/** A folder with the migrations of `scripts`, and the name of a database that does not exist yet. */
export interface Migrations {
  databaseUrl: string;
  migrationsDir: string;
  add(name: string, sql: string): Promise<void>;
  deploy(options?: Partial<MigrateOptions>): Promise<MigrateResult>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  portNames(): Promise<unknown[]>;
  drop(): Promise<void>;
}

/** @param server connection string of PostgreSQL */
export async function createMigrations(server: string): Promise<Migrations> {
  const databaseUrl = replaceDatabaseName(server, `ph_migrate_${randomBytes(6).toString('hex')}`);
  const migrationsDir = await mkdtemp(join(tmpdir(), 'migrations-'));
  const add = async (name: string, sql: string) => {
    await mkdir(join(migrationsDir, name), { recursive: true });
    await writeFile(join(migrationsDir, name, 'migration.sql'), sql);
  };
  const query = async (sql: string) =>
    withClient(databaseUrl, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

  await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
  for (const [name, sql] of Object.entries(migrationScripts)) await add(name, sql);
  return {
    databaseUrl,
    migrationsDir,
    add,
    query,
    deploy: async (options) =>
      migrateDeploy({
        databaseUrl,
        migrationsDir,
        log: { info: () => {}, warn: () => {} },
        signal: new AbortController().signal,
        ...options,
      }),
    portNames: async () => (await query('SELECT name FROM port ORDER BY name')).map(({ name }) => name),
    drop: async () => {
      await dropDatabase(databaseUrl, { force: true });
      await rm(migrationsDir, { recursive: true });
    },
  };
}

/** Node arguments of a program that migrates and prints the applied migrations. */
export const deployProgram = ({ databaseUrl, migrationsDir }: Migrations): string[] => [
  '--input-type=module',
  '-e',
  `import { migrateDeploy } from ${JSON.stringify(join(import.meta.dirname, 'deploy-migrations.ts'))};
   const log = { info() {}, warn() {} };
   const [databaseUrl, migrationsDir] = process.argv.slice(1);
   console.log(JSON.stringify(await migrateDeploy({ databaseUrl, migrationsDir, log, signal: new AbortController().signal })));`,
  databaseUrl,
  migrationsDir,
];
