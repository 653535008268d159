import { execFileSync, spawnSync } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user of the operating system. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const root: SystemUser = { uid: 0, gid: 0 };

/** The system user of this name, created without home and shell when it is missing. @throws Error when it cannot be created */
export function systemUser(name: string): SystemUser {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const readIds = () => ({ uid: id('-u'), gid: id('-g') });
  try {
    return readIds();
  } catch {
    const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name];
    const created = spawnSync('useradd', options, { encoding: 'utf8' });
    if (created.status !== 0) {
      const reason = created.stderr?.trim() || created.error?.message;
      throw new Error(`the user "${name}" could not be created (${reason})`);
    }
    return readIds();
  }
}

export interface ServerUserOptions {
  /** Of the system user, for example `pilothouse-redis`. */
  name: string;
  /** Files that the server reads and folders that it enters. */
  needs: readonly string[];
  /** TCP port that the server listens on. */
  port?: number;
  /** Receives the reason when the server has to run as root. */
  log: (reason: string) => void;
}

// The shell runs as that user, so that modes, access lists and mounts of all parent folders count.
const script =
  'for f; do if test -d "$f"; then test -x "$f"; else test -r "$f"; fi || { printf %s "$f"; exit 1; }; done';

/** The user that a server runs as when root starts it. Undefined: the server runs as the current user. */
export function serverUser({ name, needs, port, log }: ServerUserOptions): SystemUser | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  if (port !== undefined && port < firstUnprivilegedPort()) {
    log(`Runs as root, because only root may listen on port ${port}: choose a port from ${firstUnprivilegedPort()}.`);
    return undefined;
  }
  try {
    const user = systemUser(name);
    const result = spawnSync('/bin/sh', ['-c', script, 'sh', ...needs], {
      ...user,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      timeout: 10_000,
    });
    if (result.status === 0) return user;
    const unreadablePath = result.stdout || result.error?.message;
    log(`Runs as root, because user ${name} cannot read ${unreadablePath}: move it out of a private folder.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log(`Runs as root, because ${reason}: create the user with useradd.`);
  }
  return undefined;
}

function firstUnprivilegedPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}

/**
 * Makes the user, by default root, the owner of a folder and its content. Other users than root change nothing. The folder itself
 * comes last: a folder that the user owns is complete.
 */
export function transferFolder(folder: string, user: SystemUser = root): void {
  if (process.getuid?.() !== 0 || lstatSync(folder).uid === user.uid) return;
  transferAll(folder, user);
}

function transferAll(folder: string, user: SystemUser): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) transferAll(path, user);
    else lchownSync(path, user.uid, user.gid);
  }
  lchownSync(folder, user.uid, user.gid);
}
