/** Compares the tables that the migrations create with `prisma/schema.prisma`. The Prisma CLI needs its schema engine for that. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { withClient } from './pg-database.ts';

const schemaFile = join(import.meta.dirname, '../../../../../prisma/schema.prisma');

/** Parts of a schema as lines. Equal parts have equal lines. */
interface SchemaParts {
  /** `table.column type [not null]` */
  readonly columns: string[];
  /** `table (column, …) [unique] [where …]` */
  readonly indexes: string[];
  /** `table (column, …) → table (column, …) ON DELETE rule` */
  readonly references: string[];
}

const scalarTypes: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Boolean: 'boolean',
  Bytes: 'bytea',
  DateTime: 'timestamp(3) without time zone',
  Json: 'jsonb',
};

const nativeTypes: Readonly<Record<string, string>> = {
  Uuid: 'uuid',
  Date: 'date',
  Json: 'json',
  'Timestamptz(3)': 'timestamp(3) with time zone',
};

/** The text inside the first brackets after a word, such as the fields of `@@index([a, b])`. */
const bracketsAfter = (line: string, word: string) =>
  line.slice(line.indexOf(word) + word.length).match(/^[^[]*\[([^\]]*)\]/)?.[1] ?? '';

const isFieldOf = (line: string, attribute: string) => line.split(/\s+/).includes(attribute);

/** Reads the models of a formatted schema: one field or attribute per line. */
function readSchema(text: string): SchemaParts {
  const models = [...text.matchAll(/^model (\w+) \{\n([^}]*(?:\{[^}]*\}[^}]*)*?)^\}/gm)].map(
    ([, name = '', body = '']) => {
      const lines = body.split('\n').map((line) => line.trim());
      const columns = new Map<string, string>();
      for (const line of lines) {
        const [field = '', type = ''] = line.split(/\s+/);
        if (/^\w+$/.test(field) && scalarTypes[type.replace(/\W+$/, '')] !== undefined)
          columns.set(field, line.match(/@map\("(\w+)"\)/)?.[1] ?? field);
      }
      return { name, table: body.match(/@@map\("(\w+)"\)/)?.[1] ?? name, lines, columns };
    },
  );
  const tableOf = (model: string) => models.find(({ name }) => name === model);
  return {
    columns: models.flatMap(({ table, lines, columns }) =>
      lines.flatMap((line) => {
        const [field = '', type = ''] = line.split(/\s+/);
        const column = columns.get(field);
        if (column === undefined) return [];
        const native = line.match(/@db\.(\w+(?:\(\d+\))?)/)?.[1];
        const scalar = type.replace(/\W+$/, '');
        const base = native === undefined ? scalarTypes[scalar] : nativeTypes[native];
        return [
          `${table}.${column} ${base}${type.endsWith('[]') ? '[]' : ''}${/[?\]]$/.test(type) ? '' : ' not null'}`,
        ];
      }),
    ),
    indexes: models.flatMap(({ table, lines, columns }) =>
      lines.flatMap((line) => {
        const [field = '', ...rest] = line.split(/\s+/);
        const single = columns.get(field);
        if (single !== undefined && (isFieldOf(line, '@id') || rest.some((part) => part.startsWith('@unique'))))
          return [`${table} (${single}) unique`];
        const kind = ['@@index', '@@unique', '@@id'].find((attribute) => line.startsWith(`${attribute}(`));
        if (kind === undefined) return [];
        const parts = bracketsAfter(line, kind).split(/,\s*/);
        const names = parts.map((part) => {
          const name = columns.get(part.replace(/\(.*/, '')) ?? part;
          return part.includes('sort: Desc') ? `${name} DESC` : name;
        });
        const condition = line.match(/where: raw\("(.*?)"\)/)?.[1];
        return [
          `${table} (${names.join(', ')})${kind === '@@index' ? '' : ' unique'}${condition ? ` where ${condition.replaceAll('::text', '')}` : ''}`,
        ];
      }),
    ),
    references: models.flatMap(({ table, lines, columns }) =>
      lines.flatMap((line) => {
        if (!line.includes('@relation(')) return [];
        const target = tableOf((line.split(/\s+/)[1] ?? '').replace(/\W+$/, ''));
        const local = bracketsAfter(line, 'fields:')
          .split(/,\s*/)
          .map((field) => columns.get(field));
        const remote = bracketsAfter(line, 'references:')
          .split(/,\s*/)
          .map((field) => target?.columns.get(field));
        const rule = line.match(/onDelete: (\w+)/)?.[1]?.toUpperCase();
        return [`${table} (${local.join(', ')}) → ${target?.table} (${remote.join(', ')}) ON DELETE ${rule}`];
      }),
    ),
  };
}

/** Reads the same parts from the catalog. */
const readDatabase = (databaseUrl: string): Promise<SchemaParts> =>
  withClient(databaseUrl, async (client) => {
    const lines = async (sql: string) => (await client.query<{ line: string }>(sql)).rows.map(({ line }) => line);
    return {
      columns: await lines(`
        SELECT format('%s.%s %s%s', relname, attname, format_type(atttypid, atttypmod),
                      CASE WHEN attnotnull THEN ' not null' ELSE '' END) AS line
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
          AND relname <> '_prisma_migrations'`),
      indexes: await lines(`
        SELECT format('%s (%s)%s%s', relname,
                      (SELECT string_agg(pg_get_indexdef(indexrelid, part::int, true)
                                         || CASE WHEN indoption[part - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY part)
                       FROM generate_series(1, indnkeyatts) AS part),
                      CASE WHEN indisunique THEN ' unique' ELSE '' END,
                      ' where ' || replace(pg_get_expr(indpred, indrelid, true), '::text', '')) AS line
        FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
        WHERE relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations' AND indexprs IS NULL`),
      references: await lines(`
        SELECT format('%s (%s) → %s (%s) ON DELETE %s', conrelid::regclass,
                      (SELECT string_agg(attname, ', ' ORDER BY position) FROM unnest(conkey) WITH ORDINALITY AS k(num, position)
                       JOIN pg_attribute ON attrelid = conrelid AND attnum = num), confrelid::regclass,
                      (SELECT string_agg(attname, ', ' ORDER BY position) FROM unnest(confkey) WITH ORDINALITY AS k(num, position)
                       JOIN pg_attribute ON attrelid = confrelid AND attnum = num),
                      CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SETNULL' WHEN 'r' THEN 'RESTRICT' ELSE 'NOACTION' END) AS line
        FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`),
    };
  });

/** Lines that only one side has. */
function differences(schema: SchemaParts, database: SchemaParts): string[] {
  return (['columns', 'indexes', 'references'] as const).flatMap((part) => [
    ...schema[part].filter((line) => !database[part].includes(line)).map((line) => `only in schema.prisma: ${line}`),
    ...database[part].filter((line) => !schema[part].includes(line)).map((line) => `only in the migrations: ${line}`),
  ]);
}

describe('schema.prisma and the migrations', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  const compare = async () =>
    differences(readSchema(await readFile(schemaFile, 'utf8')), await readDatabase(database.url));

  test('have the same tables, indexes and references', async () => {
    const { columns, indexes, references } = readSchema(await readFile(schemaFile, 'utf8'));
    expect([columns.length > 300, indexes.length > 100, references.length > 40]).toEqual([true, true, true]);
    expect(await compare()).toEqual([]);
  });

  test('each difference is named', async () => {
    await withClient(database.url, (client) =>
      client.query(`
        DROP INDEX run_admitted_idx;
        ALTER TABLE run ALTER COLUMN epoch TYPE bigint;
        ALTER TABLE upload ADD COLUMN note text;
        ALTER TABLE upload DROP CONSTRAINT upload_project_id_fkey;
        CREATE INDEX ON run (epoch) WHERE epoch > 1`),
    );
    expect((await compare()).sort()).toEqual([
      "only in schema.prisma: run (fleet_id, admitted_at) where status = 'queued' AND admitted_at IS NOT NULL",
      'only in schema.prisma: run.epoch integer not null',
      'only in schema.prisma: upload (project_id) → project (id) ON DELETE CASCADE',
      'only in the migrations: run (epoch) where epoch > 1',
      'only in the migrations: run.epoch bigint not null',
      'only in the migrations: upload.note text',
    ]);
  });
});
