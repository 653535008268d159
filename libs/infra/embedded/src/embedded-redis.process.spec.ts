import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@pilothouse/testing/test-helpers';
import { Redis } from 'ioredis';
import type { EmbeddedServer } from './embedded-server.ts';
import { isAlive, signalProcess, type ProcessIdentity } from './process-identity.ts';
import { pingRedis, startRedis } from './embedded-redis.ts';
import { createTestFolder } from './testing/test-folder.fixture.ts';

const dir = join(createTestFolder('redis'), 'redis');
const lines: string[] = [];
let server: EmbeddedServer | undefined;

const start = () =>
  startRedis({ dir, port: 0, password: 'hunter2', appendonly: true, log: (line) => lines.push(line) }).then(
    (it) => (server = it),
  );
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function withClient<Answer>(url: string, work: (redis: Redis) => Promise<Answer>): Promise<Answer> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

test('listens on 127.0.0.1, keeps the password out of its arguments, and persists data', async () => {
  const { url, identity } = await start();
  const settings = ['bind', 'appendonly', 'appendfsync', 'maxmemory-policy', 'save'];
  expect(await withClient(url, (redis) => Promise.all(settings.map((name) => redis.config('GET', name))))).toEqual([
    ['bind', '127.0.0.1'],
    ['appendonly', 'yes'],
    ['appendfsync', 'everysec'],
    ['maxmemory-policy', 'noeviction'],
    ['save', ''],
  ]);
  if (process.platform === 'linux')
    expect(readFileSync(`/proc/${identity.pid}/cmdline`, 'utf8')).not.toContain('hunter2');
  await expect(pingRedis(url.replace('hunter2', 'other'))).rejects.toThrow(/WRONGPASS/);
});

const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;

asRoot('runs as another user when root starts it, below a private folder and on data that root owns', async () => {
  chmodSync(join(dir, '..'), 0o700);
  const { url, identity } = await start();
  expect(readFileSync(`/proc/${identity.pid}/status`, 'utf8')).toMatch(/^Uid:\s+[1-9]/m);
  await withClient(url, (redis) => redis.set('owned', '1'));
  await server?.stop();
  for (const name of ['.', ...readdirSync(dir, { recursive: true, encoding: 'utf8' })])
    chownSync(join(dir, name), 0, 0);
  const next = await start();
  expect(readFileSync(`/proc/${next.identity.pid}/status`, 'utf8')).toMatch(/^Uid:\s+[1-9]/m);
  expect(await withClient(next.url, (redis) => redis.get('owned'))).toBe('1');
});

test('data survives a stop', async () => {
  const first = await start();
  await withClient(first.url, (redis) => redis.set('kept', '42'));
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  expect(await withClient((await start()).url, (redis) => redis.get('kept'))).toBe('42');
});

test('data survives a kill of the process, and the next server starts', async () => {
  const first = await start();
  await withClient(first.url, (redis) => redis.set('kept', '43'));
  signalProcess(first.identity, 'SIGKILL');
  await first.exited;
  expect(await withClient((await start()).url, (redis) => redis.get('kept'))).toBe('43');
});

test('a server that still runs in the same folder is stopped first', async () => {
  const first = await start();
  const next = await start();
  expect(isAlive(first.identity)).toBe(false);
  await pingRedis(next.url);
});

test('the server ends when its parent is killed', async () => {
  const fixture = join(import.meta.dirname, 'testing/start.fixture.ts');
  const parent = spawn(process.execPath, [fixture, 'redis', join(dir, '../killed')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const identity: ProcessIdentity = JSON.parse(line);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  if (process.platform !== 'linux') signalProcess(identity, 'SIGTERM'); // there the next start ends it
  await until('it is gone', () => !isAlive(identity));
});
