import { chmod, chown, lstat, mkdir, readdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isBelow, MachineMounts } from './machine-mounts.ts';
import { isOwnFolder, privatePathsBelow } from './private-paths.ts';

/* The files that the programs of a session see: those of the operating system, and those of the session. Everything else of the machine is
   absent: folders of workers and of other sessions, homes, tokens, sockets of services. */

/** Folders of the operating system. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix', '/gnu'];

/** Folder of packages that are not part of the operating system. A folder of this user in it is not a package. */
const PACKAGES_FOLDER = '/opt';

/** Data of installed packages that programs read. */
const PACKAGE_DATA = [
  '/var/cache/fontconfig',
  ...['aspell', 'dbus', 'dictionaries-common', 'flatpak', 'ghostscript', 'ispell', 'libreoffice', 'xfonts', 'xkb'].map(
    (name) => `/var/lib/${name}`,
  ),
];

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);

const LINKS = {
  '/dev/ptmx': 'pts/ptmx',
  '/dev/fd': '/proc/self/fd',
  '/dev/stdin': '/proc/self/fd/0',
  '/dev/stdout': '/proc/self/fd/1',
  '/dev/stderr': '/proc/self/fd/2',
  '/var/run': '/run',
};

/** Megabytes of /dev/shm. Memory is used only for what programs write. */
const SHARED_MEMORY_MB = 512;

/** Folders of a session that its programs write to. */
const SESSION_FOLDERS = ['home', 'runtime', 'tmp'];

/** Files that replace /etc/passwd and /etc/group. */
interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

export interface ViewOptions {
  /** Folder of the session. It has the same path in the view. */
  readonly folder: string;
  /** User of the programs; null: that of this process. */
  readonly uid: number | null;
  /** Null: the accounts of the machine. */
  readonly accounts: Accounts | null;
  /** Other files and folders that programs can read, e.g. those of the operator's commands. */
  readonly visible: readonly string[];
}

/** Files from which `VIEW_SCRIPT` mounts a view. */
export interface SessionView {
  /** Future root folder. Its content is empty mount points. */
  readonly root: string;
  /** Content of the parent of the session's folder: the session without its neighbours. */
  readonly maskedParent: string;
  /** Mounts in the format of fstab(5). */
  readonly table: string;
}

/**
 * Makes a view the root folder of this process. Needs capabilities in a mount namespace, and is the first process of a PID namespace.
 * Parameters: root, masked parent, table, network interface to set up or nothing, then the command. It collects processes whose parent has exited, and ends with the command.
 */
export const VIEW_SCRIPT = [
  'set -e',
  'root=$1 masked_parent=$2 table=$3 interface=$4 path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin',
  'shift 4',
  'chmod -R a+rX "$root" "$masked_parent"',
  'mount --rbind "$root" "$root"',
  'mount -a -T "$table"',
  'cd "$root"',
  'pivot_root . .machine',
  'cd /',
  'umount -l /.machine',
  'mount -o remount,bind,ro,nosuid,nodev /',
  'if [ "$interface" ]; then ip link set "$interface" up; fi',
  'PATH=$path',
  '"$@" &',
  'wait $!',
].join('\n');

/** Writes the files of a view below the folder of the session. The folders of the session get their owner. */
export async function writeView({ folder, uid, accounts, visible }: ViewOptions): Promise<SessionView> {
  const view = {
    root: join(folder, 'view'),
    maskedParent: join(folder, 'masked-parent'),
    table: join(folder, 'mounts'),
  };
  const parent = dirname(folder);
  const mounts = await MachineMounts.read();
  const systemFolders = [...SYSTEM_FOLDERS, ...(await packageFolders([parent, ...visible]))];
  const lines: string[] = [];
  const createMountPoint = async (path: string, isFolder: boolean) => {
    const isOwn = path.startsWith(parent + sep);
    const target = isOwn ? join(view.maskedParent, relative(parent, path)) : join(view.root, path);
    await mkdir(isFolder ? target : dirname(target), { recursive: true });
    if (!isFolder) await writeFile(target, '', { flag: 'a' });
  };
  const mount = (source: string, path: string, type: string, options: string) =>
    lines.push([source, join(view.root, path), type, options, '0', '0'].map(escapeField).join(' '));
  const bind = async (source: string, path: string, options: string): Promise<void> => {
    const facts = await lstat(source).catch(() => null);
    if (!facts) return;
    if (facts.isSymbolicLink()) {
      await mkdir(join(view.root, dirname(path)), { recursive: true });
      await symlink(await readlink(source), join(view.root, path));
      return;
    }
    await createMountPoint(path, facts.isDirectory());
    mount(source, path, 'none', options);
  };
  const readOnly = (source: string) => [...new Set(['rbind', 'ro', 'nosuid', ...mounts.lockedFlags(source)])].join(',');

  const empty = { folder: join(folder, 'empty'), file: join(folder, 'empty-file') };
  await Promise.all([view.root, view.maskedParent, empty.folder].map((path) => mkdir(path, { mode: 0o755 })));
  await writeFile(empty.file, '', { mode: 0o444 });
  await Promise.all(['/.machine', '/proc', '/run', '/dev/pts', '/dev/shm'].map((path) => createMountPoint(path, true)));
  await createMountPoint('/tmp/.X11-unix', true);
  await createMountPoint('/var/tmp', true);
  for (const path of ['tmp', 'tmp/.X11-unix', 'var/tmp']) await chmod(join(view.root, path), 0o1777);
  for (const path of [...systemFolders, ...PACKAGE_DATA]) {
    await bind(path, path, readOnly(path));
    // The option `ro` does not reach the mounts below.
    for (const point of mounts.pointsBelow(path))
      if (await lstat(point).catch(() => null)) mount(point, point, 'none', readOnly(point));
  }
  // Kubernetes mounts Secrets as tmpfs.
  const secretMounts = mounts.pointsBelow('/etc', 'tmpfs').map((path) => ({ path, isFolder: true }));
  const searched = systemFolders.filter((path) => isBelow(path, ['/etc', PACKAGES_FOLDER]));
  const hidden: string[] = [];
  for (const { path, isFolder } of [
    ...secretMounts,
    ...(await Promise.all(searched.map((path) => privatePathsBelow(path)))).flat(),
  ]) {
    if (isBelow(path, hidden) || (await lstat(path).catch(() => null))?.isDirectory() !== isFolder) continue;
    hidden.push(path);
    mount(isFolder ? empty.folder : empty.file, path, 'none', 'bind,ro,nosuid,nodev');
  }
  // A link to a file of the system's resolver, which is outside the folders above.
  const resolver = await realpath('/etc/resolv.conf').catch(() => '/etc/resolv.conf');
  const readablePaths = [...new Set([resolver, ...visible])].filter((path) => !isBelow(path, systemFolders));
  for (const path of ['/tmp', '/var/tmp']) mount(join(view.root, path), path, 'none', 'bind,nosuid,nodev');
  await createMountPoint(parent, true);
  mount(view.maskedParent, parent, 'none', 'bind,ro,nosuid,nodev');
  for (const path of readablePaths)
    if (!path.startsWith(parent + sep)) await bind(path, path, `${readOnly(path)},nosuid,nodev`);
  for (const path of DEVICES) await bind(path, path, 'bind');
  mount('devpts', '/dev/pts', 'devpts', 'newinstance,ptmxmode=0666,mode=620,nosuid,noexec');
  mount('shm', '/dev/shm', 'tmpfs', `mode=1777,size=${SHARED_MEMORY_MB}m,nosuid,nodev`);
  mount('proc', '/proc', 'proc', 'nosuid,nodev,noexec');
  await writeSessionFiles(folder, uid);
  for (const name of [...SESSION_FOLDERS, 'session.log', 'egress']) {
    const path = join(folder, name);
    await bind(path, path, 'bind,nosuid,nodev');
  }
  if (accounts) {
    mount(accounts.passwd, '/etc/passwd', 'none', 'bind');
    mount(accounts.group, '/etc/group', 'none', 'bind');
  }
  for (const [path, target] of Object.entries(LINKS)) await symlink(target, join(view.root, path));
  await writeFile(view.table, `${lines.join('\n')}\n`);
  return view;
}

/** Creates what the session writes to. Its own folder stays with this user: a program cannot replace an entry by a link. */
export async function writeSessionFiles(folder: string, uid: number | null): Promise<void> {
  const paths = SESSION_FOLDERS.map((name) => join(folder, name));
  await Promise.all(paths.map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
  const log = join(folder, 'session.log');
  await writeFile(log, '', { mode: 0o600 });
  if (uid !== null) await Promise.all([...paths, log].map((path) => chown(path, uid, uid)));
}

/**
 * Folders of packages, without those of this user: a clone of the repository, or a package with private files beside the needed ones.
 * @param needed paths that have mounts of their own
 */
async function packageFolders(needed: readonly string[]): Promise<string[]> {
  const names = await readdir(PACKAGES_FOLDER).catch((): string[] => []);
  const folders: string[] = [];
  for (const path of names.map((name) => join(PACKAGES_FOLDER, name))) {
    const hidden = (await privatePathsBelow(path)).map((found) => found.path);
    if (!(await isOwnFolder(path)) && !needed.some((neededPath) => isBelow(neededPath, hidden))) folders.push(path);
  }
  return folders;
}

/** Escapes a field of fstab(5). */
const escapeField = (text: string): string =>
  text.replaceAll(/[\\\s]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
