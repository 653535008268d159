import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, lstat, readdir, readFile, rename, rmdir, stat, truncate, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/* Files that programs of a slot may have written. No program runs while these functions work, so no path changes meanwhile. */

/** File systems of the kernel that store no data of programs. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<string> = new Set(['proc', 'sysfs', 'cgroup', 'cgroup2', 'devpts']);

/** File that every user of a container may write. The kubelet reads it. */
const TERMINATION_LOG = '/dev/termination-log';

/** Message queues of the container, which the container runtime mounts. */
const MESSAGE_QUEUES = '/dev/mqueue';

/** Entries after which the search for remains ends. */
const MAX_REMAINS = 10;

/** A mount that this process can write to. */
interface WritableMount {
  readonly path: string;
  readonly isFolder: boolean;
  /** True: it belongs to the slot. All that the user has there may be removed. */
  readonly isOwn: boolean;
}

/** Mounts of a process. */
interface MountTable {
  /** Paths of all mounts. */
  readonly all: ReadonlySet<string>;
  /** Paths of those that can be written, without those of the kernel. */
  readonly writable: readonly string[];
}

/** @param mountInfo text of /proc/self/mountinfo (proc(5)) */
export function readMounts(mountInfo: string): MountTable {
  const mounts = mountInfo.split('\n').flatMap((line) => {
    const [fields, superBlock] = line.split(' - ');
    const [, , , , name, options] = fields?.split(' ') ?? [];
    const [fileSystem = '', , superOptions] = superBlock?.split(' ') ?? [];
    if (name === undefined) return [];
    const path = name.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
    const isWritable =
      !KERNEL_FILE_SYSTEMS.has(fileSystem) && [options, superOptions].every((list) => list?.split(',').includes('rw'));
    return [{ path, isWritable }];
  });
  // A later mount at the same place hides an earlier one.
  const last = new Map(mounts.map(({ path, isWritable }) => [path, isWritable]));
  return {
    all: new Set(last.keys()),
    writable: [...last].flatMap(([path, isWritable]) => (isWritable ? [path] : [])),
  };
}

/**
 * @param folders mounts of the slot
 * @throws Error if the root file system is writable: it is too large to be proven empty
 * @throws Error if the user can write to the mount of another owner, which must keep its files
 */
async function writableMounts(
  folders: readonly string[],
): Promise<{ mounts: WritableMount[]; all: ReadonlySet<string> }> {
  const { all, writable } = readMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  if (writable.includes('/'))
    throw new Error('The root file system of the slot is writable: set readOnlyRootFilesystem of the container');
  const facts = await Promise.all(writable.map((path) => stat(path).catch(() => null)));
  const mounts = writable.flatMap((path, index) => {
    const found = facts[index];
    const isOwn = path === MESSAGE_QUEUES || folders.includes(path);
    return found ? [{ path, isFolder: found.isDirectory(), isOwn, isRegular: found.isFile() }] : [];
  });
  for (const { path, isFolder, isOwn, isRegular } of mounts)
    if (!isOwn && path !== TERMINATION_LOG && (isFolder || isRegular) && (await isWritable(path)))
      throw new Error(
        `The slot can write to ${path}, which is not one of its folders ${folders.join(', ')}: mount it with readOnly`,
      );
  return { mounts, all };
}

/**
 * Removes everything of a user from the folders of a slot, and empties the termination log. Ignores errors: see `entriesOfUser`.
 * @param folders mounts that belong to the slot. Other mounts are not changed
 * @throws Error if the user can write to another mount
 */
export async function emptyFolders(folders: readonly string[], uid: number): Promise<void> {
  const { mounts, all } = await writableMounts(folders);
  for (const { path, isOwn, isFolder } of mounts) if (isOwn && isFolder) await emptyFolder(path, uid, all);
  await truncate(TERMINATION_LOG, 0).catch(() => undefined);
}

/**
 * Paths of at most 10 entries of a user, and of entries that it may have written, on all writable mounts.
 * @throws Error if the user can write to a mount that does not belong to the slot
 */
export async function entriesOfUser(folders: readonly string[], uid: number): Promise<string[]> {
  const remains: string[] = [];
  const { mounts, all } = await writableMounts(folders);
  for (const { path, isFolder } of mounts) {
    if (isFolder) await findRemains(path, uid, all, remains);
    else if ((await isWritable(path)) && (await stat(path)).size > 0) remains.push(path);
  }
  return remains;
}

async function findRemains(folder: string, uid: number, mounts: ReadonlySet<string>, remains: string[]): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (remains.length >= MAX_REMAINS) return;
    const path = join(folder, name);
    const facts = await lstat(path).catch(() => null);
    if (!facts || mounts.has(path)) continue;
    if (facts.uid === uid) remains.push(path);
    else if (facts.isDirectory()) await findRemains(path, uid, mounts, remains);
    else if (facts.isFile() && facts.size > 0 && (await isWritable(path))) remains.push(path);
  }
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

/**
 * Removes everything of a user from a folder of another owner. Ignores errors.
 * @param mounts paths that are left alone
 */
export async function emptyFolder(folder: string, uid: number, mounts: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const facts = await lstat(path).catch(() => null);
    if (!facts || mounts.has(path)) continue;
    if (facts.uid !== uid) {
      if (facts.isDirectory()) await emptyFolder(path, uid, mounts);
    } else if (facts.isDirectory()) await removeTree(path, uid);
    else await unlink(path).catch(() => undefined);
  }
}

/**
 * Removes a folder of the user. Folders in it are moved beside it first: programs can nest them so deep that no path reaches the last
 * one. The new names are short, because a name has at most 255 bytes, and random, because programs may have used any other.
 */
async function removeTree(root: string, uid: number): Promise<void> {
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await chmod(folder, 0o700).catch(() => undefined);
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const facts = await lstat(path).catch(() => null);
      if (!facts?.isDirectory()) {
        await unlink(path).catch(() => undefined);
        continue;
      }
      if (await isRemoved(path)) continue;
      const target = join(dirname(root), `.reset-${randomUUID()}`);
      // The move changes the entry for the parent folder, which needs the permission to write.
      if (facts.uid === uid) await chmod(path, 0o700).catch(() => undefined);
      await rename(path, target).then(
        () => pending.push(target),
        () => undefined,
      );
    }
    await rmdir(folder).catch(() => undefined);
  }
}

/** Removes a folder if it is empty. */
const isRemoved = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );
