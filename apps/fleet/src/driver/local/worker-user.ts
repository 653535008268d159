import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Log } from '@pilothouse/core/ports/runtime.port';

/** Operating system user of the workers. */
export interface WorkerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Unprivileged users, in order of preference. */
// cspell:ignore nobody
const candidates = ['pilothouse-worker', 'nobody'];

/**
 * Selects an unprivileged user for workers if the controller runs as root. A worker opens hostile pages and must not
 * read the data folder or the environment of other processes. null: workers run as the user of the controller.
 * @param paths files that a worker reads, the program first. One warning names files that the user cannot read.
 */
export async function selectWorkerUser(
  paths: readonly string[],
  log: Log,
  passwd = '/etc/passwd',
): Promise<WorkerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const user = await findUser(passwd);
  if (!user) {
    log.warn({ users: candidates, hint: 'Add one of the users with useradd' }, 'workers run as root, user not found');
    return null;
  }
  const unreadable = await firstUnreadable(user, paths);
  if (unreadable === null) return user;
  log.warn(
    { user: user.name, path: unreadable, hint: 'Move the checkout out of a private folder' },
    'workers run as root, path not readable for their user',
  );
  return null;
}

async function findUser(passwd: string): Promise<WorkerUser | null> {
  const lines = (await readFile(passwd, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const candidate of candidates) {
    const [name, , uid, gid] = lines.find((line) => line[0] === candidate) ?? [];
    if (name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

// Runs as that user, so that the system checks folder permissions, access lists and mounts.
const script =
  'for f; do if test -d "$f"; then test -x "$f"; else test -r "$f"; fi || { printf %s "$f"; exit 1; }; done';

/** Returns the first file that the user cannot read or folder that it cannot enter; null if all are accessible. */
export async function firstUnreadable({ uid, gid }: WorkerUser, files: readonly string[]): Promise<string | null> {
  const options = { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeout: 10_000 };
  const result = await promisify(execFile)('/bin/sh', ['-c', script, 'sh', ...files], options).catch(
    (error: { stdout?: string; message: string }) => error,
  );
  return 'message' in result ? result.stdout || result.message : null;
}
