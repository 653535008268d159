import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Arbitrary lock id: it prevents two jest workers from building the template at once. */
const TEMPLATE_LOCK = 7_447_100;

const migrations = join(import.meta.dirname, '../../../prisma/migrations');

/** A database of one spec, with all migrations applied. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

async function migrationScripts(): Promise<string[]> {
  const folders = (await readdir(migrations, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return Promise.all(folders.sort().map((folder) => readFile(join(migrations, folder, 'migration.sql'), 'utf8')));
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const databaseUrl = (server: string, database: string) => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

/** URL of the test server, which ./scripts/test sets. */
export function testServer(): string {
  const url = process.env.DATABASE_URL;
  if (!url)
    throw new Error(
      'DATABASE_URL is not set: run the tests with ./scripts/test, or give the URL of a PostgreSQL server',
    );
  return url;
}

/** Creates a database from a template that is migrated once per set of migrations. */
export async function createDatabase(server = testServer()): Promise<TestDatabase> {
  const scripts = await migrationScripts();
  const template = `ph_template_${createHash('sha256').update(scripts.join('\n')).digest('hex').slice(0, 16)}`;
  const name = `ph_test_${randomBytes(8).toString('hex')}`;
  await withClient(databaseUrl(server, 'postgres'), async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [
      template,
    ]);
    if (rowCount === 0) {
      await client.query(`DROP DATABASE IF EXISTS ${template}`);
      await client.query(`CREATE DATABASE ${template}`);
      await withClient(databaseUrl(server, template), async (inside) => {
        for (const script of scripts) await inside.query(script);
      });
      await client.query(`ALTER DATABASE ${template} WITH is_template true`);
    }
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  });
  return {
    url: databaseUrl(server, name),
    drop: () =>
      withClient(
        databaseUrl(server, 'postgres'),
        async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
      ),
  };
}
