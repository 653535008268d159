import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createPool, createStores, migrateDeploy, type ModelSpend, type Pool } from '@pilothouse/infra-db';
import { ensureDatabase } from '@pilothouse/infra-embedded';
import { root } from './bundles.ts';

/** Arbitrary lock id: it prevents two jest workers from building the template at once. */
const TEMPLATE_LOCK = 7_447_101;

const migrationsDir = join(root, 'prisma/migrations');

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A new database for one stack. */
export interface StackDatabase {
  readonly url: string;
  /** Every row of every table as text, bytes in hex. */
  dump(): Promise<string>;
  /** Creates a project, for which there is no route. @returns an admin key */
  addProject(slug: string): Promise<string>;
  /** Records model usage of a project without a call. */
  spend(slug: string, usage: ModelSpend): Promise<void>;
  drop(): Promise<void>;
}

/** @param isEmpty creates no tables: the API applies all migrations when it starts */
export async function createStackDatabase(server: string, isEmpty = false): Promise<StackDatabase> {
  const name = `e2e_${randomBytes(8).toString('hex')}`;
  if (!isEmpty) await copyTemplate(server, name);
  const url = await ensureDatabase(server, name);
  return {
    url,
    dump: () => withPool(url, dumpAll),
    addProject: (slug) => addProject(url, slug),
    spend: (slug, usage) => withPool(url, (pool) => spend(pool, slug, usage)),
    drop: () =>
      withPool(server, async (pool) => void (await pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))),
  };
}

async function withPool<Result>(databaseUrl: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = createPool({ databaseUrl, max: 1, name: 'e2e', log });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Creates a database from a template that is migrated once per server and set of migrations. */
async function copyTemplate(server: string, name: string): Promise<void> {
  const files = (await readdir(migrationsDir, { recursive: true })).filter((file) => file.endsWith('.sql')).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(migrationsDir, file)));
  const template = `e2e_template_${hash.digest('hex').slice(0, 16)}`;
  await withPool(server, async (pool) => {
    await pool.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await pool.query<{ datistemplate: boolean }>(
      'SELECT datistemplate FROM pg_database WHERE datname = $1',
      [template],
    );
    if (!rows[0]?.datistemplate) {
      await pool.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      const databaseUrl = await ensureDatabase(server, template);
      await migrateDeploy({ databaseUrl, migrationsDir, log, signal: new AbortController().signal });
      await pool.query(`ALTER DATABASE ${template} WITH is_template true`);
    }
    await pool.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await pool.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  });
}

async function spend(pool: Pool, slug: string, usage: ModelSpend): Promise<void> {
  const stores = createStores(pool);
  try {
    const project = await stores.projects.bySlug(slug);
    if (!project) throw new Error(`There is no project ${slug}`);
    await stores.modelSpend.settle(randomUUID(), project.id, null, usage, { clock: systemClock, deadline: 0 });
  } finally {
    await stores.close();
  }
}

/** Creates a project, for which there is no route. @returns an admin key */
export const addProject = (databaseUrl: string, slug: string): Promise<string> =>
  withPool(databaseUrl, (pool) => insertProject(pool, slug));

async function insertProject(pool: Pool, slug: string): Promise<string> {
  const stores = createStores(pool);
  const key = `ph_${randomBytes(24).toString('hex')}`;
  try {
    const { id: project } = await stores.projects.ensure({ id: randomUUID(), slug, name: slug });
    const hash = createHash('sha256').update(key).digest('hex');
    const facts = { name: 'spec', role: 'admin', prefix: key.slice(0, 9), expiresAt: null } as const;
    await stores.keys.create({ id: randomUUID(), project, hash, ...facts });
  } finally {
    await stores.close();
  }
  return key;
}

async function dumpAll(pool: Pool): Promise<string> {
  const tables = await pool.query<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(`-- ${name}`, ...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
