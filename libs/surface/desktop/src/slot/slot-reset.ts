import { ipcObjects, removeIpcObjects } from '../process/ipc-objects.ts';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { readdir, readFile } from 'node:fs/promises';
import type { SlotSessionProcess } from './slot-session-process.ts';
import { emptyFolders, entriesOfUser } from './writable-folders.ts';

/** Milliseconds for killed processes to end. One that waits for a disk ends later. */
const KILL_TIMEOUT_MS = 10_000;

const SCAN_INTERVAL_MS = 10;

/** Milliseconds for the init process of a session to collect the others. */
const COLLECT_TIMEOUT_MS = 2_000;

/**
 * Ended processes that nothing collected: a program ended the init process of its session. They have no memory, but each has a process id.
 */
const MAX_ZOMBIES = 1_000;

/** Attempts to remove everything. `kubectl exec` may start a process meanwhile. */
const MAX_ROUNDS = 3;

/** Problems that the message of a failed reset names. */
const MAX_NAMED = 5;

/**
 * Ends every other process of this container, and removes everything that they wrote. Only for process 1 of a PID namespace: elsewhere
 * `kill(-1)` would end the processes of the machine.
 * @param folders writable mounts of the slot, which are emptied
 * @param session the last session; null: there was none
 * @throws Error with what is left; the container must not be used again
 */
export async function resetSlot(
  folders: readonly string[],
  session: Pick<SlotSessionProcess, 'initPid' | 'ended'> | null,
  timers: Timers = systemTimers,
): Promise<void> {
  if (process.pid !== 1) throw new Error('Only process 1 of a container can reset a slot');
  if (session) await collectSession(session, timers);
  const uid = process.getuid?.() ?? 0;
  for (let round = 1; ; round += 1) {
    await killOthers(timers);
    await emptyFolders(folders, uid);
    await removeIpcObjects(uid, []);
    const left = await findRemains(folders, uid);
    if (left.length === 0) return;
    if (round === MAX_ROUNDS) throw new Error(`The slot is not clean: ${left.slice(0, MAX_NAMED).join(', ')}`);
  }
}

/**
 * Ends the processes of a session in an order that lets its init process collect all of them. A program that interferes can prevent this,
 * but only processes without memory are left then: `killOthers` follows.
 */
async function collectSession(
  session: Pick<SlotSessionProcess, 'initPid' | 'ended'>,
  timers: Timers = systemTimers,
): Promise<void> {
  const deadline = timers.monotonic() + COLLECT_TIMEOUT_MS;
  for (;;) {
    // Stopped processes start no others while they are killed one by one.
    signal(-1, 'SIGSTOP');
    const { initPid } = session;
    if (initPid === null) return;
    const running = (await otherProcesses()).running.filter((pid) => pid !== initPid);
    if (running.length === 0) {
      signal(initPid, 'SIGCONT');
      break;
    }
    if (timers.monotonic() > deadline) return;
    for (const pid of running) signal(pid, 'SIGKILL');
    await timers.delay(SCAN_INTERVAL_MS);
  }
  await Promise.race([session.ended(), timers.delay(COLLECT_TIMEOUT_MS)]);
}

/** Sends a signal. A process that has gone is no error. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** @throws Error with the processes that do not end */
async function killOthers(timers: Timers): Promise<void> {
  const deadline = timers.monotonic() + KILL_TIMEOUT_MS;
  for (;;) {
    signal(-1, 'SIGKILL');
    const { running } = await otherProcesses();
    if (running.length === 0) return;
    if (timers.monotonic() > deadline)
      throw new Error(
        `The processes ${running.slice(0, MAX_NAMED).join(', ')} did not end within ${KILL_TIMEOUT_MS} ms`,
      );
    await timers.delay(SCAN_INTERVAL_MS);
  }
}

/** Describes processes and files that are left. */
async function findRemains(folders: readonly string[], uid: number): Promise<string[]> {
  const { running, zombies } = await otherProcesses();
  const files = await entriesOfUser(folders, uid);
  const objects = (await ipcObjects()).filter(({ uids }) => uids.includes(uid));
  return [
    ...running.map((pid) => `process ${pid}`),
    ...files.map((path) => `file ${JSON.stringify(path.slice(0, 200))}`),
    ...objects.map(({ kind, id }) => `${kind} ${id}`),
    ...(zombies > MAX_ZOMBIES ? [`${zombies} ended processes`] : []),
  ];
}

/** Processes of this PID namespace besides this one. */
async function otherProcesses(): Promise<{ running: number[]; zombies: number }> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const states = await Promise.all(pids.filter((pid) => pid !== process.pid).map(stateOf));
  return {
    running: states.filter(({ state }) => state !== null && state !== 'Z' && state !== 'X').map(({ pid }) => pid),
    zombies: states.filter(({ state }) => state === 'Z').length,
  };
}

/** State letter of a process; null: it has gone. */
async function stateOf(pid: number): Promise<{ pid: number; state: string | null }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  // The name of the program is in parentheses and may contain any character.
  return { pid, state: stat === null ? null : (stat[stat.lastIndexOf(')') + 2] ?? null) };
}
