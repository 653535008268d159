import { once } from 'node:events';
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { killSession } from './session-processes.ts';

/** Folder of all short folders: TMPDIR of a worker may be too long. */
const ROOT = '/tmp';

const PREFIX = 'pilothouse-sessions-';

/** Name of the socket on which the owner of a short folder listens while it lives. */
const OWNER_SOCKET = 'owner';

/** Milliseconds for killed processes to disappear. */
const KILL_TIMEOUT_MS = 5_000;

/** Parent folder of one host's sessions, with a path that is short enough for sockets. */
export interface ShortFolder {
  readonly path: string;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Creates a short folder. This process owns it. Other users may pass through it. */
export async function createShortFolder(): Promise<ShortFolder> {
  const path = await mkdtemp(join(ROOT, PREFIX));
  await chmod(path, 0o711);
  // The kernel closes the socket when the process dies, also in another container.
  const owner = createServer((client) => client.destroy());
  owner.listen(join(path, OWNER_SOCKET));
  await once(owner, 'listening');
  owner.unref();
  return {
    path,
    close: async () => {
      await new Promise<void>((resolve) => owner.close(() => resolve()));
      await removeFolder(path);
    },
  };
}

/** Removes the short folders of this user's dead processes, with the processes of their sessions. Ignores errors. */
export async function removeDeadShortFolders(): Promise<void> {
  const names = await readdir(ROOT).catch(() => []);
  await Promise.all(
    names
      .filter((name) => name.startsWith(PREFIX))
      .map(async (name) => {
        const path = join(ROOT, name);
        if (await isOwnerDead(path)) await removeFolder(path).catch(() => undefined);
      }),
  );
}

/** True if a folder of this user has a socket on which nothing listens. False also while its owner creates the socket. */
async function isOwnerDead(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return false;
  return new Promise((resolve) => {
    const socket = connect(join(path, OWNER_SOCKET));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
}

async function removeFolder(path: string): Promise<void> {
  const sessions = await readdir(path);
  for (const session of sessions.filter((name) => name !== OWNER_SOCKET))
    await killSession({ id: session, folder: join(path, session) }, KILL_TIMEOUT_MS);
  // A program that was killed may still have a write under way.
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
