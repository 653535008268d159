import { findFreePort } from '@pilothouse/infra-embedded';
import { testServer } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrateWhenReady } from './migrate-when-ready.ts';

const MIGRATION = '20260101000000_port';
const name = `ph_migrate_${randomBytes(6).toString('hex')}`;

const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(testServer());
  url.pathname = `/${name}`;
  change(url);
  return url.href;
};

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A local port that refuses connections until `open` forwards them to the test server. */
async function closedDoor(): Promise<{ port: number; open(): Promise<Server> }> {
  const port = await findFreePort(0);
  const { hostname, port: serverPort } = new URL(testServer());
  const open = async () => {
    const door = createServer((socket) => {
      const server = connect(Number(serverPort || 5432), hostname);
      socket.pipe(server).pipe(socket);
      const end = () => [socket, server].forEach((side) => side.destroy());
      socket.on('error', end);
      server.on('error', end);
    });
    await once(door.listen(port, '127.0.0.1'), 'listening');
    return door;
  };
  return { port, open };
}

let migrationsDir: string;

beforeEach(async () => {
  migrationsDir = await mkdtemp(join(tmpdir(), 'migrations-'));
  await mkdir(join(migrationsDir, MIGRATION));
  await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
  await writeFile(join(migrationsDir, MIGRATION, 'migration.sql'), 'CREATE TABLE port (name text PRIMARY KEY);');
});

afterEach(async () => {
  await query(
    urlWith((url) => (url.pathname = '/postgres')),
    `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
  );
  await rm(migrationsDir, { recursive: true });
});

const migrate = (
  databaseUrl: string,
  options: { waitMs?: number; signal?: AbortSignal; log?: ReturnType<typeof memoryLog> } = {},
) =>
  migrateWhenReady({
    databaseUrl,
    migrationsDir,
    waitMs: 30_000,
    log: memoryLog(),
    signal: new AbortController().signal,
    ...options,
  });

test('waits for a server that is not up yet, then applies pending migrations', async () => {
  const { port, open } = await closedDoor();
  const log = memoryLog();
  const migrated = migrate(
    urlWith((url) => ((url.hostname = '127.0.0.1'), (url.port = String(port)))),
    { log },
  );
  await until('the wait is logged', () => log.lines.some(({ message }) => message === 'waiting for the database'));
  const door = await open();
  await migrated;
  door.close();
  expect(
    await query(
      urlWith(() => {}),
      'SELECT migration_name FROM _prisma_migrations',
    ),
  ).toEqual([{ migration_name: MIGRATION }]);
  expect(log.lines.at(-1)).toEqual({
    level: 'info',
    message: 'database migrated',
    facts: { applied: [MIGRATION] },
  });
  expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('has nothing to do the second time, and logs it', async () => {
  const log = memoryLog();
  await migrate(urlWith(() => {}));
  await migrate(
    urlWith(() => {}),
    { log },
  );
  expect(log.lines).toEqual([{ level: 'info', message: 'database up to date', facts: { applied: [] } }]);
});

test('a server that is not available in time is an error with a hint', async () => {
  const { port } = await closedDoor();
  const url = urlWith((url) => ((url.hostname = '127.0.0.1'), (url.port = String(port))));
  await expect(migrate(url, { waitMs: 1_500 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('DATABASE_URL'),
  });
});

test.each([
  ['a login that the server refuses', 'UNAVAILABLE', () => urlWith((url) => (url.username = `nobody_${name}`))],
  [
    'a migration that fails',
    'MIGRATION_FAILED',
    async () => {
      await writeFile(join(migrationsDir, MIGRATION, 'migration.sql'), 'ALTER TABLE nowhere ADD COLUMN x int;');
      return urlWith(() => {});
    },
  ],
])('%s is not waited for', async (_, code, databaseUrl) => {
  const log = memoryLog();
  await expect(migrate(await databaseUrl(), { log })).rejects.toMatchObject({ code });
  expect(log.lines.filter(({ message }) => message === 'waiting for the database')).toEqual([]);
});

test('a signal cancels the wait', async () => {
  const { port } = await closedDoor();
  const log = memoryLog();
  const stop = new AbortController();
  const url = urlWith((url) => ((url.hostname = '127.0.0.1'), (url.port = String(port))));
  const migrated = migrate(url, { signal: stop.signal, log });
  const rejection = expect(migrated).rejects.toThrow('enough');
  await until('it waits', () => log.lines.length > 0);
  stop.abort(new Error('enough'));
  await rejection;
});
