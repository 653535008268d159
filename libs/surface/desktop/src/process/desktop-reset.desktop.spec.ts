import { execFile } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DesktopSurface } from '../desktop.surface.ts';
import { listeningSockets } from '../files/shared-folder-files.ts';
import { ipcObjects } from './ipc-objects.ts';
import { noIsolation, type SessionIsolation } from './session-isolation.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* A session finds nothing of the sessions before it, and leaves nothing outside of its folder. */

/**
 * A program that shows in its title the traces of another session: files, a clipboard and names on the bus. Then it leaves files, a
 * socket, a clipboard, IPC objects of each kind and a process that has left its process group.
 */
const UNTIDY = `
import ctypes, os, re, socket, subprocess, sys, time, tkinter
root = tkinter.Tk(className='untidy')
found = [name for name in os.listdir(os.environ['HOME']) if not name.startswith('.')] + os.listdir(os.environ['TMPDIR'])
try:
    found.append(root.clipboard_get())
except tkinter.TclError:
    pass
bus = ['dbus-send', '--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames']
names = re.findall('string "([^:"]+)"', subprocess.run(bus, capture_output=True, text=True, check=True).stdout)
found += [name for name in names if not name.startswith(('org.freedesktop.DBus', 'org.a11y.'))]
for folder in (os.environ['HOME'], os.environ['TMPDIR']):
    with open(folder + '/left.txt', 'w') as file:
        file.write('left')
name = sys.argv[1] + str(os.getpid())
os.mkdir('/tmp/' + name)
os.mkdir('/dev/shm/' + name)
server = socket.socket(socket.AF_UNIX)
server.bind('/tmp/' + name + '.socket')
server.listen()
libc = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, key = 0o1000, os.getpid()
for made in (
    libc.shmget(key, 4096, IPC_CREAT | 0o666),
    libc.semget(key, 1, IPC_CREAT | 0o666),
    libc.msgget(key, IPC_CREAT | 0o666),
    libc.mq_open(('/' + name).encode(), os.O_CREAT | os.O_RDWR, 0o666, None),
):
    if made < 0:
        raise OSError(ctypes.get_errno(), 'IPC object')
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        time.sleep(600)
    os._exit(0)
root.clipboard_append('left in the clipboard')
root.title('found ' + (' '.join(found) or 'nothing'))
root.mainloop()
`;

let programFolder: string;
/** Prefix of the names that the program uses in shared folders. */
let prefix: string;
/** User ids of the sessions. */
const users = new Set<number>();
let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  programFolder = await mkdtemp(join(tmpdir(), 'untidy-'));
  // Programs of a session have a separate user.
  await chmod(programFolder, 0o755);
  prefix = `left-${programFolder.slice(-6)}-`;
  await writeFile(join(programFolder, 'untidy.py'), UNTIDY);
});
afterAll(() => rm(programFolder, { recursive: true }));

/** Sessions of root that share processes and files with the machine, and have a user of their own. */
const withoutView: SessionIsolation = { hasOwnNetwork: false, hasOwnUser: true, hasOwnView: false };

const startKit = (isolation?: SessionIsolation) =>
  startDesktopKit({
    commands: { untidy: ['python3', join(programFolder, 'untidy.py'), prefix] },
    ...(isolation && { isolation }),
  });

/** Opens a session, in which programs run that leave files, sockets, processes and a clipboard, and closes it. @returns paths of its sockets */
async function runUntidySession(hasEditor: boolean): Promise<string[]> {
  surface = await kit.open();
  const { value } = await act({ action: 'openApp', app: 'untidy' });
  await act({ action: 'waitFor', condition: { title: 'found' } });
  expect(value).toMatchObject({ app: 'untidy' });
  expect(await surface.anchors(contextWithin(10))).toMatchObject({ title: 'found nothing' });
  // An application that owns a name on the session bus.
  if (hasEditor) await act({ action: 'openApp', app: 'org.xfce.mousepad' });
  const sockets = await listeningSockets(await kit.pidsOf('untidy'));
  for (const name of await readdir(kit.folder)) {
    // The next session may be starting.
    const home = await lstat(join(kit.folder, name, 'home')).catch(() => null);
    if (home) users.add(home.uid);
  }
  await surface.close();
  return sockets;
}

/** Names of this spec in the shared folders. */
async function leftNames(): Promise<string[]> {
  const names = await Promise.all(['/tmp', '/dev/shm'].map((folder) => readdir(folder)));
  return names.flat().filter((name) => name.startsWith(prefix));
}

/** POSIX message queues of these users. Their file system may not be mounted. */
async function messageQueuesOf(uids: ReadonlySet<number>): Promise<string[]> {
  const script = 'mount -t mqueue none /mnt && find /mnt -mindepth 1 -printf "%U %f\\n"';
  const { stdout } = await promisify(execFile)('unshare', ['--mount', '--', 'sh', '-c', script]);
  return stdout.split('\n').filter((line) => line !== '' && uids.has(Number(line.split(' ')[0])));
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

test.each([
  { count: 20, view: 'with a view of their own', isolation: undefined },
  { count: 5, view: 'without a view', isolation: withoutView },
])(
  '$count sessions $view leave no file, process, socket, clipboard or IPC object',
  async ({ count, isolation }) => {
    kit = await startKit(isolation);
    if (!(await kit.sessions.isolation()).hasOwnUser)
      throw new Error('Run this spec as root: sessions then have users of their own');
    users.clear();
    // Other programs of this machine may have left objects, also with a user id that a session gets.
    const earlierObjects = new Set((await ipcObjects()).map(({ kind, id }) => `${kind} ${id}`));
    for (let session = 1; session <= count; session += 1) {
      const sockets = await runUntidySession(session % 4 === 1);
      expect(sockets).toEqual([expect.stringContaining(prefix)]);
      expect(await leftNames()).toEqual([]);
    }
    expect(await kit.close()).toEqual({ files: [], pids: [] });
    expect(await leftNames()).toEqual([]);
    expect(users.size).toBeGreaterThanOrEqual(count);
    const objects = (await ipcObjects()).filter(({ kind, id }) => !earlierObjects.has(`${kind} ${id}`));
    expect(objects.filter(({ uids }) => uids.some((uid) => users.has(uid)))).toEqual([]);
    expect(await messageQueuesOf(users)).toEqual([]);
  },
  240_000,
);

test.each([
  ['a view of its own', undefined],
  ['a user of its own', withoutView],
  ['the user of the worker', noIsolation],
])(
  'LibreOffice with %s leaves no socket',
  async (_, isolation) => {
    kit = await startKit(isolation);
    surface = await kit.open();
    await act({ action: 'openApp', app: 'libreoffice-writer' }, 40);
    const sockets = await listeningSockets(await kit.pidsOf('soffice'));
    expect(sockets).toEqual([expect.stringContaining('OSL_PIPE')]);
    await surface.close();
    expect(await Promise.all(sockets.map(exists))).toEqual([false]);
    expect(await kit.close()).toEqual({ files: [], pids: [] });
  },
  90_000,
);
