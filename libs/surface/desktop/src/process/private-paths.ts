import { access, constants, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/* Files of this user in folders of the system. A session of an ordinary user has the same user, so permissions do not protect them. */

/** Levels of folders that are searched. */
const MAX_DEPTH = 4;

/** Permission bits with which every user reads a file, or lists a folder. */
const OTHERS_READ = 0o4;
const OTHERS_LIST = 0o5;

/** A file or folder that only some users can read. */
export interface PrivatePath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** True if a folder belongs to this user, unless that is root: sessions of root have users of their own. */
export async function isOwnFolder(path: string): Promise<boolean> {
  const uid = process.getuid?.() ?? 0;
  const facts = await lstat(path).catch(() => null);
  return uid !== 0 && facts !== null && facts.isDirectory() && facts.uid === uid;
}

/**
 * Finds what this user can read below a folder, and not everyone can: its own folders, and files and folders of its groups. Links are
 * skipped: their targets are searched where they are.
 * @returns nothing for root
 */
export async function privatePathsBelow(folder: string, depth = 1): Promise<PrivatePath[]> {
  if ((process.getuid?.() ?? 0) === 0) return [];
  const names = await readdir(folder).catch((): string[] => []);
  const found = await Promise.all(
    names.map(async (name): Promise<PrivatePath[]> => {
      const path = join(folder, name);
      const facts = await lstat(path).catch(() => null);
      if (facts?.isDirectory()) {
        const isListed = (facts.mode & OTHERS_LIST) === OTHERS_LIST;
        if (await isOwnFolder(path)) return [{ path, isFolder: true }];
        if (!isListed) return (await isReadable(path)) ? [{ path, isFolder: true }] : [];
        return depth < MAX_DEPTH ? privatePathsBelow(path, depth + 1) : [];
      }
      const isPrivate = facts?.isFile() === true && (facts.mode & OTHERS_READ) === 0;
      return isPrivate && (await isReadable(path)) ? [{ path, isFolder: false }] : [];
    }),
  );
  return found.flat();
}

/** True also for a folder that can only be passed through, or a file that this user can make readable. */
const isReadable = async (path: string): Promise<boolean> => {
  const facts = await lstat(path).catch(() => null);
  if (facts?.uid === process.getuid?.()) return true;
  const mode = facts?.isDirectory() ? constants.X_OK : constants.R_OK;
  return access(path, mode).then(
    () => true,
    () => false,
  );
};
