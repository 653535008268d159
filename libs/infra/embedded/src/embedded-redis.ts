import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { systemTimers } from '@pilothouse/core/time/timers';
import { Redis } from 'ioredis';
import { findProgram, spawnSupervised } from './supervised-child.ts';
import { type EmbeddedServer, OutputTail, findFreePort, waitUntilReady } from './embedded-server.ts';
import { stopProcess, type StopStep, type ProcessIdentity } from './process-identity.ts';
import { serverUser, transferFolder } from './system-user.ts';

export interface RedisOptions {
  /** Created on first use; contains the append-only file. */
  dir: string;
  /** Preferred port; a busy port is replaced by a free one. */
  port: number;
  /** Without spaces, quotes or backslashes. */
  password: string;
  /** True: data survives a restart, except for the last second. */
  appendonly: boolean;
  log: (line: string) => void;
  /** Receives the reason when the server has to run as root. Default: `log`. */
  notice?: (line: string) => void;
  signal?: AbortSignal;
}

const STOP_STEPS: StopStep[] = [{ signal: 'SIGTERM', graceMs: 10_000 }];

/**
 * Starts the `redis-server` of the PATH on 127.0.0.1, as the user `pilothouse-redis` when root starts it. Stops a
 * server that still runs in the same folder. Throws when there is no redis-server, and with its last lines when it
 * does not start within 30 s.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer> {
  const command = findProgram('redis-server');
  if (!command)
    throw new Error(
      'redis-server is not on the PATH. Install it (Debian: apt-get install redis-server), or set REDIS_URL.',
    );
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  // Outside the folder: root trusts no file that the Redis user can write.
  const identityFile = `${options.dir}.process.json`;
  await stopStaleRedis(identityFile, options.log);
  const user = serverUser({ name: 'pilothouse-redis', needs: [command], log: options.notice ?? options.log });
  transferFolder(options.dir, user);

  const port = await findFreePort(options.port);
  const tail = new OutputTail();
  const child = await spawnSupervised({
    command,
    args: ['-'],
    // by standard input, because every user can read arguments
    input: configuration(options, port),
    env: { LC_ALL: 'C', TZ: 'UTC' },
    // Entered before the user changes, because that user may not access the parent folders.
    cwd: options.dir,
    ...user,
    stopSteps: STOP_STEPS,
    onLine: (line) => {
      tail.push(line);
      options.log(line);
    },
  });
  writeFileSync(identityFile, JSON.stringify(child.identity));
  void child.exited.then(() => rmSync(identityFile, { force: true }));
  const url = `redis://:${encodeURIComponent(options.password)}@127.0.0.1:${port}`;
  try {
    await waitUntilReady('Redis', child, tail, () => pingRedis(url), { deadlineMs: 30_000, signal: options.signal });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { url, port, identity: child.identity, exited: child.exited, stop: child.stop };
}

/** Connects and sends PING. Throws the error of the server or the network, or a timeout. */
export async function pingRedis(url: string, timeoutMs = 3000): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // the promises only report a closed connection; this event has the reason
  let firstError: unknown;
  client.on('error', (error) => (firstError ??= error));
  const timer = systemTimers.setTimeout(() => {
    firstError ??= new Error(`no answer within ${timeoutMs / 1000} s`);
    client.disconnect();
  }, timeoutMs);
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw firstError ?? error;
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
    'maxmemory-policy noeviction', // a queue must not evict entries
    'daemonize no',
    '',
  ].join('\n');

async function stopStaleRedis(identityFile: string, log: (line: string) => void): Promise<void> {
  if (!existsSync(identityFile)) return;
  const identity: ProcessIdentity = JSON.parse(readFileSync(identityFile, 'utf8'));
  log(`Stopping the Redis of the previous start (process ${identity.pid}).`);
  if (!(await stopProcess(identity, STOP_STEPS)))
    throw new Error(`The Redis of the previous start (process ${identity.pid}) could not be stopped.`);
  rmSync(identityFile, { force: true });
}
