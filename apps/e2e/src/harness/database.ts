import { randomBytes } from 'node:crypto';
import { createPool, type Pool } from '@pilothouse/infra-db';
import { ensureDatabase } from '@pilothouse/infra-embedded';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An empty database of a stack's own. */
export interface StackDatabase {
  readonly url: string;
  /** Every row of every table, as text: bytes in hex. */
  dump(): Promise<string>;
  drop(): Promise<void>;
}

export async function makeDatabase(server: string): Promise<StackDatabase> {
  const name = `e2e_${randomBytes(8).toString('hex')}`;
  const url = await ensureDatabase(server, name);
  return {
    url,
    dump: () => withPool(url, dumpAll),
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
