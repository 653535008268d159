import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Milliseconds for one of the small programs. */
const PROGRAM_TIMEOUT_MS = 5_000;

/** Kinds of System V objects: table in `/proc/sysvipc`, column of the id, and option of `ipcrm`. */
const kinds = {
  shm: { id: 'shmid', option: '-m', pids: ['cpid', 'lpid'] },
  sem: { id: 'semid', option: '-s', pids: [] },
  msg: { id: 'msqid', option: '-q', pids: ['lspid', 'lrpid'] },
} as const;

type IpcKind = keyof typeof kinds;

/** A System V object of this IPC namespace: a shared memory segment, a set of semaphores or a message queue. */
export interface IpcObject {
  readonly kind: IpcKind;
  readonly id: number;
  /** User that owns or created it. */
  readonly uids: readonly number[];
  /** Processes that created or used it, as far as the table names them. */
  readonly pids: readonly number[];
}

/** Lists the System V objects of this IPC namespace. Empty where the kernel has no such objects. */
export async function ipcObjects(): Promise<IpcObject[]> {
  const objects = await Promise.all((Object.keys(kinds) as IpcKind[]).map(objectsOf));
  return objects.flat();
}

async function objectsOf(kind: IpcKind): Promise<IpcObject[]> {
  const text = await readFile(`/proc/sysvipc/${kind}`, 'utf8').catch(() => '');
  const [header = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/));
  return rows.map((row) => {
    const value = (column: string) => Number(row[header.indexOf(column)]);
    const { id, pids } = kinds[kind];
    return { kind, id: value(id), uids: [value('uid'), value('cuid')], pids: pids.map(value) };
  });
}

/**
 * Removes the System V objects and POSIX message queues of a session. They outlive their processes. Ignores errors.
 * @param uid user of the session. With null, the session has the user of this process: objects that its processes created or used are
 * removed, and POSIX message queues stay
 * @param pids processes of the session
 */
export async function removeIpcObjects(uid: number | null, pids: readonly number[]): Promise<void> {
  const own = uid ?? process.getuid?.() ?? -1;
  const candidates = (await ipcObjects()).filter(({ uids }) => uids.includes(own));
  const removed: IpcObject[] = [];
  for (const object of candidates)
    if (uid !== null || (await usersOf(object)).some((pid) => pids.includes(pid))) removed.push(object);
  // One call for each: it ends at the first object that cannot be removed.
  for (const { kind, id } of removed) await run('ipcrm', [kinds[kind].option, String(id)]);
  if (uid !== null) await removeMessageQueues(uid);
}

/** Processes that created or used an object. The table has none for semaphores. */
async function usersOf({ kind, id, pids }: IpcObject): Promise<readonly number[]> {
  if (kind !== 'sem') return pids;
  const output = await run('ipcs', ['-s', '-i', String(id)]);
  // One line for each semaphore: number, value, waiting for an increase, waiting for zero, process.
  return [...output.matchAll(/^\d+ +\d+ +\d+ +\d+ +(\d+) *$/gm)].map(([, pid]) => Number(pid));
}

/** Removes the POSIX message queues of a user. Their file system may not be mounted, so this mounts it in a namespace. */
async function removeMessageQueues(uid: number): Promise<void> {
  const script = 'mount -t mqueue none /mnt && exec find /mnt -mindepth 1 -user "$1" -delete';
  await run('unshare', ['--mount', '--', 'sh', '-c', script, 'sh', String(uid)]);
}

/** @returns the output; empty after an error */
async function run(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
  const result = await promisify(execFile)(program, args, { timeout: PROGRAM_TIMEOUT_MS, env }).catch(() => null);
  return result?.stdout ?? '';
}
