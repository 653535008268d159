import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@pilothouse/testing/test-helpers';
import pg from 'pg';
import type { EmbeddedServer } from './embedded-server.ts';
import { pingPostgres, ensureDatabase, startPostgres } from './embedded-postgres.ts';
import { isAlive, signalProcess, type ProcessIdentity } from './process-identity.ts';
import { createTestFolder } from './testing/test-folder.fixture.ts';

const dataDir = join(createTestFolder('postgres'), 'postgres');
const lines: string[] = [];
let server: EmbeddedServer | undefined;

const start = (port = 0) =>
  startPostgres({ dataDir, port, password: 'p@ss word', log: (line) => lines.push(line) }).then((it) => (server = it));
afterEach(async () => {
  await server?.stop();
  server = undefined;
  lines.length = 0;
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('listens on 127.0.0.1 only, with a password and durable settings', async () => {
  const { url } = await start();
  const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'server_encoding', 'TimeZone'];
  const rows = await query(
    url,
    `SELECT name, setting FROM pg_settings WHERE name = ANY('{${names.join()}}') ORDER BY 1`,
  );
  expect(
    Object.fromEntries((rows as { name: string; setting: string }[]).map((row) => [row.name, row.setting])),
  ).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '127.0.0.1',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
  });
  await expect(pingPostgres(url.replace('p%40ss', 'other'))).rejects.toThrow(/password/);
});

test('committed data survives a kill, and a stale pid file does not block the start', async () => {
  const first = await start();
  const database = await ensureDatabase(first.url, 'kept');
  await ensureDatabase(first.url, 'kept');
  await query(database, 'CREATE TABLE fact AS SELECT 42 AS answer');
  signalProcess(first.identity, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const second = await start();
  expect(await query(second.url.replace(/postgres$/, 'kept'), 'SELECT answer FROM fact')).toEqual([{ answer: 42 }]);
});

test('a server that still runs on the same data is stopped first', async () => {
  const first = await start();
  const next = await start();
  expect(isAlive(first.identity)).toBe(false);
  expect(next.identity).not.toEqual(first.identity);
  expect(lines.some((line) => line.includes(`of the previous start (process ${first.identity.pid})`))).toBe(true);
  await pingPostgres(next.url);
});

test('a busy port is replaced by a free one', async () => {
  const busy = createServer().listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as { port: number };
  try {
    expect((await start(port)).port).not.toBe(port);
  } finally {
    busy.close();
  }
});

test('stops quickly with clients connected', async () => {
  const { url, stop, identity } = await start();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const startedAt = performance.now();
  expect(await stop()).toEqual({ code: 0, signal: null });
  // The next signal would be sent after ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(9_500);
  expect(isAlive(identity)).toBe(false);
});

test('data of another version is refused with instructions', async () => {
  const { writeFileSync, readFileSync } = await import('node:fs');
  await start().then(({ stop }) => stop());
  const file = join(dataDir, 'PG_VERSION');
  const version = readFileSync(file, 'utf8');
  writeFileSync(file, '12\n');
  await expect(start()).rejects.toThrow(/PostgreSQL 12, .* Dump it/);
  writeFileSync(file, version);
});

test('the server ends when its parent is killed', async () => {
  const fixture = join(import.meta.dirname, 'testing/start.fixture.ts');
  const parent = spawn(process.execPath, [fixture, 'postgres', join(dataDir, '../killed')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const identity: ProcessIdentity = JSON.parse(line);
  expect(isAlive(identity)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  if (process.platform !== 'linux') signalProcess(identity, 'SIGINT'); // there the next start ends it
  await until('it is gone', () => !isAlive(identity));
});
