import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import type { SessionOptions } from './session-options.ts';
import { withOwnKeyring } from './own-keyring.ts';
import { VIEW_SCRIPT, writeSessionFiles, writeView, type SessionView } from './session-view.ts';

/** Milliseconds for a probe. Each starts some small programs. */
const PROBE_TIMEOUT_MS = 10_000;

/** First user id of sessions; the display number is added. Above the ids of people, services and containers. */
const FIRST_SESSION_UID = 200_000;

/** Separation of a session from other processes of this machine. */
export interface SessionIsolation {
  /** Programs have only a separate loopback interface. They can connect only to the egress proxy. */
  readonly hasOwnNetwork: boolean;
  /** Each session has its own user id. */
  readonly hasOwnUser: boolean;
  /** Programs see only the processes, files and IPC objects of their session, and none of them survives it. */
  readonly hasOwnView: boolean;
  /** Why sessions have no view of their own: the message of the program that failed. */
  readonly reason?: string;
}

/** Sessions are not separated from this process. */
export const noIsolation: SessionIsolation = { hasOwnNetwork: false, hasOwnUser: false, hasOwnView: false };

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** User id of the session on this display. */
export const sessionUid = (display: string): number => FIRST_SESSION_UID + Number(display.slice(1));

/** Files of accounts that a session with a separate user sees: dbus-daemon ends without an entry. */
interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/** Namespaces of a session. */
interface Namespaces {
  /** Loopback is the only interface. */
  readonly hasOwnNetwork: boolean;
  /** Files that replace /etc/passwd and /etc/group; null: those of the machine. */
  readonly accounts: Accounts | null;
  /** Null: the programs see the processes and files of the machine. */
  readonly view: SessionView | null;
}

/** @returns null, or why the command failed */
const failureOf = ({ program, args }: Command): Promise<string | null> =>
  promisify(execFile)(program, args, { timeout: PROBE_TIMEOUT_MS }).then(
    () => null,
    ({ stderr, message }: { stderr?: string; message: string }) => stderr?.trim() || message,
  );

/**
 * Probes which isolation this process can create. Many clusters forbid namespaces, and a container may have no second user.
 * @param folder folder of the sessions; another user must reach it
 * @param entry file of the session process; another user must read it
 */
export async function probeIsolation(folder: string, entry: string): Promise<SessionIsolation> {
  const uid = isRoot() ? FIRST_SESSION_UID : null;
  const ownAccounts: Accounts = { passwd: '/etc/passwd', group: '/etc/group' };
  const asOther = [
    '--reuid',
    String(uid),
    '--regid',
    String(uid),
    '--clear-groups',
    'test',
    '-x',
    folder,
    '-a',
    '-r',
    entry,
  ];
  const [network, user, view] = await Promise.all([
    failureOf(inNamespaces({ program: 'true', args: [] }, { hasOwnNetwork: true, accounts: null, view: null })),
    uid !== null &&
      failureOf(
        inNamespaces(
          { program: 'setpriv', args: asOther },
          { hasOwnNetwork: false, accounts: ownAccounts, view: null },
        ),
      ),
    probeView(folder, entry, uid).catch((error: Error) => error.message),
  ]);
  // Without a user of its own, a session of root could open the namespaces again.
  const reason = uid !== null && user !== null ? String(user) : view;
  return {
    hasOwnNetwork: network === null,
    hasOwnUser: user === null,
    hasOwnView: reason === null,
    ...(reason !== null && { reason }),
  };
}

/** @returns null, or why a view cannot be created */
async function probeView(parent: string, entry: string, uid: number | null): Promise<string | null> {
  const folder = await mkdtemp(join(parent, 'probe-'));
  try {
    const view = await writeView({ folder, uid, accounts: null, visible: codeOf(entry) });
    const readEntry = { program: 'test', args: ['-r', entry] };
    return await failureOf(inNamespaces(readEntry, { hasOwnNetwork: true, accounts: null, view }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files that the session process needs: Node, its entry file and its packages. */
function codeOf(entry: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(entry); folder !== '/'; folder = dirname(folder))
    folders.push(join(folder, 'node_modules'));
  // Source files import those of other folders of the repository.
  const [repository] = /^.*(?=\/libs\/surface\/)/.exec(entry) ?? [];
  return [process.execPath, dirname(entry), ...folders, ...(repository ? [join(repository, 'libs')] : [])];
}

/** Files outside the system folders that the programs of a session read: those that the operator's commands name. */
const filesOf = ({ commands, environment }: Pick<SessionOptions, 'commands' | 'environment'>): string[] =>
  [...Object.values(commands).flat(), environment.LOCPATH ?? ''].filter((word) => word.startsWith(sep) && word !== sep);

/** The session process in its namespaces. */
export interface IsolatedCommand extends Command {
  /** User of the session; null: that of this process. */
  readonly uid: number | null;
}

/**
 * Prepares the folder of a session, and returns the command that starts its process.
 * @param entry entry file of the session process
 */
export async function isolate(
  command: Command,
  entry: string,
  options: SessionOptions,
  display: string,
  { hasOwnUser, hasOwnView }: SessionIsolation,
): Promise<IsolatedCommand> {
  const { folder } = options;
  const uid = hasOwnUser ? sessionUid(display) : null;
  const accounts = uid === null ? null : await writeAccounts(folder, uid);
  const hasOwnNetwork = options.egress !== null && options.egress.socket !== null;
  const visible = [...codeOf(entry), ...filesOf(options)];
  const view = hasOwnView ? await writeView({ folder, uid, accounts, visible }) : null;
  if (uid !== null && !view) {
    // The session passes through its folder, but cannot replace an entry of it by a link.
    await writeSessionFiles(folder, uid);
    await chown(folder, process.getuid?.() ?? 0, uid);
    await chmod(folder, 0o710);
  }
  const isolated = inNamespaces(command, { hasOwnNetwork, accounts, view });
  return { ...(uid !== null || view ? withOwnKeyring(isolated) : isolated), uid };
}

/** Writes files of accounts with the user of a session. */
async function writeAccounts(folder: string, uid: number): Promise<Accounts> {
  const accounts = { passwd: join(folder, 'passwd'), group: join(folder, 'group') };
  const [passwd, group] = await Promise.all([readFile('/etc/passwd', 'utf8'), readFile('/etc/group', 'utf8')]);
  await writeFile(accounts.passwd, `${passwd}desktop:x:${uid}:${uid}::${join(folder, 'home')}:/bin/sh\n`, {
    mode: 0o644,
  });
  await writeFile(accounts.group, `${group}desktop:x:${uid}:\n`, { mode: 0o644 });
  return accounts;
}

function inNamespaces(command: Command, namespaces: Namespaces): Command {
  return namespaces.view
    ? inView(command, namespaces.hasOwnNetwork, namespaces.view)
    : withSharedFiles(command, namespaces);
}

/**
 * Runs a program in a view, with separate PID, mount and IPC namespaces. An ordinary user is root in a first user namespace, which mounts
 * the view, and has its id in a second one, which cannot change the mounts.
 */
function inView(
  { program, args }: Command,
  hasOwnNetwork: boolean,
  { root, maskedParent, table }: SessionView,
): Command {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const namespaces = ['--pid', '--fork', '--kill-child', '--mount', '--ipc', ...(hasOwnNetwork ? ['--net'] : [])];
  // The programs run without the capability, so that they cannot read the memory of the session process. It gives no right here.
  const keep = ['setpriv', '--inh-caps=-all,+lease', '--ambient-caps=-all,+lease', '--'];
  const ownId = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--keep-caps', '--', ...keep];
  const command = [...(isRoot() ? [] : ownId), program, ...args];
  return {
    program: 'unshare',
    args: [
      ...(isRoot() ? [] : ['--user', '--map-root-user']),
      ...[...namespaces, '--', 'sh', '-c', VIEW_SCRIPT, 'sh', root, maskedParent, table, hasOwnNetwork ? 'lo' : ''],
      ...command,
    ],
  };
}

/**
 * Runs a program in separate namespaces, beside the processes and files of the machine. An ordinary user needs a user namespace for that,
 * in which it keeps its id, and has no capabilities when the program starts. Only root can replace the accounts.
 */
function withSharedFiles({ program, args }: Command, { hasOwnNetwork, accounts }: Namespaces): Command {
  if (!hasOwnNetwork && !accounts) return { program, args };
  const options = [
    ...(isRoot() ? [] : ['--user', '--map-current-user', '--keep-caps']),
    ...(hasOwnNetwork ? ['--net'] : []),
    ...(accounts ? ['--mount'] : []),
  ];
  const commands = [
    ...(accounts ? ['mount --bind "$1" /etc/passwd', 'mount --bind "$2" /etc/group'] : []),
    ...(hasOwnNetwork ? ['ip link set lo up'] : []),
    'shift 2',
    isRoot() ? 'exec "$@"' : 'exec setpriv --inh-caps=-all --ambient-caps=-all -- "$@"',
  ];
  const script = `PATH="$PATH:/usr/sbin:/sbin"; ${commands.join(' && ')}`;
  const files = [accounts?.passwd ?? '', accounts?.group ?? ''];
  return { program: 'unshare', args: [...options, '--', 'sh', '-c', script, 'sh', ...files, program, ...args] };
}
