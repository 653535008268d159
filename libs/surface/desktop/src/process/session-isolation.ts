import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Milliseconds for a probe. Each starts three small programs. */
const PROBE_TIMEOUT_MS = 5_000;

/** First user id of sessions; the display number is added. Above the ids of people, services and containers. */
const FIRST_SESSION_UID = 200_000;

/** Separation of a session from other processes of this machine. */
export interface SessionIsolation {
  /** Programs have only a separate loopback interface. They can connect only to the egress proxy. */
  readonly hasOwnNetwork: boolean;
  /** Each session has its own user id. */
  readonly hasOwnUser: boolean;
}

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
}

/**
 * Probes which isolation this process can create. Many clusters forbid namespaces, and a container may have no second user.
 * @param folder folder of the sessions; another user must reach it
 * @param entry file of the session process; another user must read it
 */
export async function probeIsolation(folder: string, entry: string): Promise<SessionIsolation> {
  const succeeds = ({ program, args }: Command) =>
    promisify(execFile)(program, args, { timeout: PROBE_TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
  const uid = String(FIRST_SESSION_UID);
  const ownAccounts: Accounts = { passwd: '/etc/passwd', group: '/etc/group' };
  const asOther = ['--reuid', uid, '--regid', uid, '--clear-groups', 'test', '-x', folder, '-a', '-r', entry];
  const [hasOwnNetwork, hasOwnUser] = await Promise.all([
    succeeds(inNamespaces({ program: 'true', args: [] }, { hasOwnNetwork: true, accounts: null })),
    isRoot() &&
      succeeds(inNamespaces({ program: 'setpriv', args: asOther }, { hasOwnNetwork: false, accounts: ownAccounts })),
  ]);
  return { hasOwnNetwork, hasOwnUser };
}

/** Writes files of accounts with the user of a session. */
export async function writeAccounts(folder: string, uid: number): Promise<Accounts> {
  const accounts = { passwd: join(folder, 'passwd'), group: join(folder, 'group') };
  const [passwd, group] = await Promise.all([readFile('/etc/passwd', 'utf8'), readFile('/etc/group', 'utf8')]);
  await writeFile(accounts.passwd, `${passwd}desktop:x:${uid}:${uid}::${join(folder, 'home')}:/bin/sh\n`, {
    mode: 0o644,
  });
  await writeFile(accounts.group, `${group}desktop:x:${uid}:\n`, { mode: 0o644 });
  return accounts;
}

/**
 * Runs a program in separate namespaces. An ordinary user needs a user namespace for that, in which it keeps its id, and has no
 * capabilities when the program starts. Only root can replace the accounts.
 */
export function inNamespaces({ program, args }: Command, { hasOwnNetwork, accounts }: Namespaces): Command {
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
