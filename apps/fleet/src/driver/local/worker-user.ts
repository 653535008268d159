import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Log } from '@pilothouse/core';

/** The user that workers run as. */
export interface WorkerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Users that own nothing here, the better one first. */
const candidates = ['pilothouse-worker', 'nobody'];

/**
 * A user of their own for workers, when root starts them: a worker opens hostile pages and may read neither the data folder nor
 * the environment of the other parts. Null: they run as the controller does.
 * @param needs files that a worker reads, the program first; where the user cannot, one warning says so
 */
export async function selectWorkerUser(
  needs: readonly string[],
  log: Log,
  passwd = '/etc/passwd',
): Promise<WorkerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const user = await findUser(passwd);
  if (!user) {
    log.warn({}, `Workers run as root, because there is no user ${candidates.join(' or ')}: add one with useradd`);
    return null;
  }
  const obstacle = await firstUnreadable(user, needs);
  if (obstacle === null) return user;
  log.warn(
    { user: user.name },
    `Workers run as root, because user ${user.name} cannot use ${obstacle}: move the checkout out of a private folder`,
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

// The system itself answers, as that user: rights of every folder on the way, access lists and mounts are all in it.
const script =
  'for f; do if test -d "$f"; then test -x "$f"; else test -r "$f"; fi || { printf %s "$f"; exit 1; }; done';

/** The first of the files that the user cannot read, or the folders it cannot enter; null when it can all. */
export async function firstUnreadable({ uid, gid }: WorkerUser, files: readonly string[]): Promise<string | null> {
  const options = { uid, gid, cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeout: 10_000 };
  const asked = await promisify(execFile)('/bin/sh', ['-c', script, 'sh', ...files], options).catch(
    (error: { stdout?: string; message: string }) => error,
  );
  return 'message' in asked ? asked.stdout || asked.message : null;
}
