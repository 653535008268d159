import { lstat, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Folders that all sessions share. Most programs use TMPDIR instead; LibreOffice and some D-Bus servers do not. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm'];

/**
 * Finds the sockets that processes listen on directly below a shared folder. A killed process leaves them behind.
 * @param pids processes of one session
 */
export async function listeningSockets(pids: readonly number[]): Promise<string[]> {
  const paths = await Promise.all(pids.map(socketsOf));
  return [...new Set(paths.flat())];
}

/** Paths of a process's sockets. A process that exited meanwhile has none. */
async function socketsOf(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? []));
  // The table is that of its network namespace.
  const table = await readFile(`/proc/${pid}/net/unix`, 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [, , , , , , inode = '', ...parts] = line.trim().split(/ +/);
    const path = parts.join(' ');
    return inodes.has(inode) && SHARED_FOLDERS.includes(dirname(path)) ? [path] : [];
  });
}

/**
 * Removes the sockets. With a user id, also removes all entries of that user directly below the shared folders. Ignores errors. The sticky
 * bit of these folders prevents other users from replacing the entries.
 * @param uid user of the session; null: it had the user of this process
 */
export async function removeSharedFiles(sockets: readonly string[], uid: number | null): Promise<void> {
  const owner = uid ?? process.getuid?.();
  for (const path of sockets) {
    const stats = await lstat(path).catch(() => null);
    if (stats?.isSocket() && stats.uid === owner) await rm(path, { force: true }).catch(() => undefined);
  }
  if (uid === null) return;
  for (const folder of SHARED_FOLDERS)
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => null);
      if (stats?.uid === uid) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
}
