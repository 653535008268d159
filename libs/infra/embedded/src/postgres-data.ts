import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { changeOwner, type PostgresHome } from './postgres-files.ts';
import { stopProcess, identifyProcess, type StopStep } from './process-identity.ts';
import { OutputTail } from './embedded-server.ts';

/**
 * Fast shutdown (disconnects clients), then shutdown without a checkpoint; the write-ahead log preserves committed
 * data.
 */
export const POSTGRES_STOP_STEPS: StopStep[] = [
  { signal: 'SIGINT', graceMs: 10_000 },
  { signal: 'SIGQUIT', graceMs: 3000 },
];

/** Complete environment of the PostgreSQL processes. */
export const POSTGRES_ENV = { LC_ALL: 'C', LC_MESSAGES: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

/**
 * Creates the data folder under a temporary name and renames it, so that an interrupted initialization leaves no
 * incomplete folder.
 */
export async function initDataFolder(
  { programs, dataDir, owner }: PostgresHome,
  { password, log }: { password: string; log: (line: string) => void },
): Promise<void> {
  const half = `${dataDir}.half`;
  const secret = `${dataDir}.secret`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  changeOwner(half, owner);
  writeFileSync(secret, '', { mode: 0o600 });
  changeOwner(secret, owner);
  writeFileSync(secret, password);
  try {
    const child = spawn(
      join(programs, 'bin/initdb'),
      [
        `--pgdata=${half}`,
        '--username=postgres',
        `--pwfile=${secret}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // same text order on every system
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ],
      { cwd: '/', env: { ...POSTGRES_ENV }, ...owner, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const tail = new OutputTail();
    for (const stream of [child.stdout, child.stderr])
      stream
        .setEncoding('utf8')
        .on('data', (text: string) => text.split('\n').forEach((line) => (tail.push(line), log(line))));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`PostgreSQL could not make its data folder ${dataDir}. Its last lines:\n${tail}`);
  } finally {
    rmSync(secret, { force: true });
  }
  chmodSync(half, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
  renameSync(half, dataDir);
}

/** Throws when the data belongs to another major version. */
export function checkVersion({ programs, dataDir }: PostgresHome): void {
  const has = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const runs = execFileSync(join(programs, 'bin/postgres'), ['--version'], { encoding: 'utf8' }).match(/\d+/)?.[0];
  if (has !== runs)
    throw new Error(
      `The data in ${dataDir} is of PostgreSQL ${has} and this version runs PostgreSQL ${runs}: dump it with the old version, move the folder away and restore.`,
    );
}

/**
 * Stops a server that a killed supervisor left on this data. The pid file identifies it, and its working directory
 * proves it.
 */
export async function stopStaleServer(dataDir: string, log: (line: string) => void): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return;
  const mark = identifyProcess(Number.parseInt(readFileSync(file, 'utf8'), 10));
  if (!mark || !worksIn(mark.pid, dataDir)) return; // PostgreSQL replaces the file of a dead process
  log(`Stopping the PostgreSQL that was left over (process ${mark.pid}).`);
  if (!(await stopProcess(mark, POSTGRES_STOP_STEPS)))
    throw new Error(`The PostgreSQL left over in ${dirname(dataDir)} (process ${mark.pid}) cannot be stopped.`);
}

function worksIn(pid: number, dataDir: string): boolean {
  if (process.platform !== 'linux') return true; // the pid file names a running process; no further proof is available
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
  } catch {
    return false;
  }
}
