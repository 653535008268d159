import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { systemTimers } from '@pilothouse/core';
import { Redis } from 'ioredis';
import { findProgram, spawnSupervised } from './supervised-child.ts';
import { type EmbeddedServer, OutputTail, findFreePort, waitUntilReady } from './embedded-server.ts';
import { stopProcess, type StopStep, type ProcessIdentity } from './process-identity.ts';
import { serverUser, transferFolder } from './system-user.ts';

export interface RedisOptions {
  /** Made on first use; holds the append-only file. */
  dir: string;
  /** The wanted port; a busy one is chosen around. */
  port: number;
  /** Without spaces, quotes or backslashes. */
  password: string;
  /** Whether what it holds survives a restart, up to the last second. */
  appendonly: boolean;
  log: (line: string) => void;
  /** Receives the reason when it has to run as root. Default: `log`. */
  notice?: (line: string) => void;
  signal?: AbortSignal;
}

const end: StopStep[] = [{ signal: 'SIGTERM', graceMs: 10_000 }];

/**
 * Starts the `redis-server` of the PATH on 127.0.0.1, as the user `pilothouse-redis` when root starts it. One that was left over in
 * the same folder is stopped first. Throws a sentence when there is no redis-server, and its last lines when it does not come up
 * within 30 s.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer> {
  const command = findProgram('redis-server');
  if (!command)
    throw new Error(
      'There is no redis-server on the PATH: install it (Debian: apt-get install redis-server), or set REDIS_URL.',
    );
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  // Beside the folder: root trusts no file that the user of Redis can write.
  const markFile = `${options.dir}.process.json`;
  await stopLeftover(markFile, options.log);
  const user = serverUser({ name: 'pilothouse-redis', needs: [command], log: options.notice ?? options.log });
  transferFolder(options.dir, user);

  const port = await findFreePort(options.port);
  const tail = new OutputTail();
  const child = await spawnSupervised({
    command,
    args: ['-'],
    // by its standard input, because arguments are seen by everybody
    input: configuration(options, port),
    env: { LC_ALL: 'C', TZ: 'UTC' },
    // Entered before the user changes, who may have no right to enter the folders above.
    cwd: options.dir,
    ...user,
    end,
    onLine: (line) => {
      tail.push(line);
      options.log(line);
    },
  });
  writeFileSync(markFile, JSON.stringify(child.mark));
  void child.exited.then(() => rmSync(markFile, { force: true }));
  const url = `redis://:${encodeURIComponent(options.password)}@127.0.0.1:${port}`;
  try {
    await waitUntilReady('Redis', child, tail, () => pingRedis(url), { deadlineMs: 30_000, signal: options.signal });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { url, port, mark: child.mark, exited: child.exited, stop: child.stop };
}

/** Connects and pings. Throws what the server or the network says, or that it was too slow. */
export async function pingRedis(url: string, timeoutMs = 3000): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // the promises only say that the connection is closed; why is said here
  let why: unknown;
  client.on('error', (error) => (why ??= error));
  const timer = systemTimers.setTimeout(() => {
    why ??= new Error(`no answer within ${timeoutMs / 1000} s`);
    client.disconnect();
  }, timeoutMs);
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw why ?? error;
  } finally {
    systemTimers.clearTimeout(timer);
    client.disconnect();
  }
}

const configuration = ({ password, appendonly }: RedisOptions, port: number) =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    'dir .',
    `appendonly ${appendonly ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction', // a queue that forgets is none
    'daemonize no',
    '',
  ].join('\n');

async function stopLeftover(markFile: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(markFile)) return;
  const mark: ProcessIdentity = JSON.parse(readFileSync(markFile, 'utf8'));
  log(`Making sure that the Redis of the last time (process ${mark.pid}) is gone.`);
  if (!(await stopProcess(mark, end))) throw new Error(`The Redis left over (process ${mark.pid}) cannot be stopped.`);
  rmSync(markFile, { force: true });
}
