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
  const temporaryDir = `${dataDir}.half`;
  const passwordFile = `${dataDir}.secret`;
  rmSync(temporaryDir, { recursive: true, force: true });
  mkdirSync(temporaryDir, { mode: 0o700 });
  changeOwner(temporaryDir, owner);
  writeFileSync(passwordFile, '', { mode: 0o600 });
  changeOwner(passwordFile, owner);
  writeFileSync(passwordFile, password);
  try {
    const child = spawn(
      join(programs, 'bin/initdb'),
      [
        `--pgdata=${temporaryDir}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
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
    if (code !== 0) throw new Error(`PostgreSQL could not create its data folder ${dataDir}. Its last lines:\n${tail}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  chmodSync(temporaryDir, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
  renameSync(temporaryDir, dataDir);
}

/** Throws when the data belongs to another major version. */
export function checkVersion({ programs, dataDir }: PostgresHome): void {
  const dataVersion = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const programVersion = execFileSync(join(programs, 'bin/postgres'), ['--version'], { encoding: 'utf8' }).match(
    /\d+/,
  )?.[0];
  if (dataVersion !== programVersion)
    throw new Error(
      `The data in ${dataDir} belongs to PostgreSQL ${dataVersion}, but this version runs PostgreSQL ${programVersion}. Dump it with the old version, move the folder away and restore the dump.`,
    );
}

/**
 * Stops a server that a killed supervisor left on this data. The pid file identifies it, and its working directory
 * proves it.
 */
export async function stopStaleServer(dataDir: string, log: (line: string) => void): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return;
  const identity = identifyProcess(Number.parseInt(readFileSync(file, 'utf8'), 10));
  if (!identity || !hasWorkingDirectory(identity.pid, dataDir)) return; // PostgreSQL replaces the file of a dead process
  log(`Stopping the PostgreSQL of the previous start (process ${identity.pid}).`);
  if (!(await stopProcess(identity, POSTGRES_STOP_STEPS)))
    throw new Error(
      `The PostgreSQL of the previous start in ${dirname(dataDir)} (process ${identity.pid}) could not be stopped.`,
    );
}

function hasWorkingDirectory(pid: number, dataDir: string): boolean {
  if (process.platform !== 'linux') return true; // the pid file names a running process; no further proof is available
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
  } catch {
    return false;
  }
}
