import type { Timers } from '@pilothouse/core/time/timers';
import { readFile } from 'node:fs/promises';
import type { WindowFacts } from '../x/window-manager.ts';

/** Parents that are followed. */
const MAX_DEPTH = 20;

/** Programs of the desktop that start others. Their session has processes of several applications. */
const STARTERS: ReadonlySet<string> = new Set(['dbus-daemon', 'dbus-broker-lau', 'openbox']);

/** Name, parent and session of a process. */
interface ProcessFacts {
  /** At most 15 characters. */
  readonly name: string;
  readonly parent: number;
  /** State of the main thread: `S` sleeps, `R` runs or waits for a core. */
  readonly state: string;
  /** Id of the session. Each program that `openApp` starts has its own. */
  readonly session: number;
}

/** Milliseconds between two looks at a program, and looks in a row at which it has to sleep. */
const LOOK_INTERVAL_MS = 2;
const REST_LOOKS = 2;

/**
 * Waits until the main thread of a program sleeps. Programs may run the command of a key after events that arrived later: Writer does so
 * with Return. A ping does not show that. A sleep is no proof either: the thread may wait for a lock, a file, or another thread, as in Java.
 * @returns false if the program has not slept in time, or has ended
 */
export async function comesToRest(pid: number, timers: Timers, timeoutMs: number): Promise<boolean> {
  const endsAt = timers.monotonic() + timeoutMs;
  for (let rests = 0; ;) {
    const facts = await factsOf(pid);
    if (facts === null) return false;
    rests = facts.state === 'S' ? rests + 1 : 0;
    if (rests >= REST_LOOKS) return true;
    if (timers.monotonic() >= endsAt) return false;
    await timers.delay(LOOK_INTERVAL_MS);
  }
}

/** True if a process exists and is no zombie. */
export const isRunning = async (pid: number): Promise<boolean> => (await factsOf(pid)) !== null;

/**
 * True if two windows belong to one program: they have one id or process, one process has started the other, or both were started by one
 * `openApp`, also by one that has ended. Applications that the D-Bus daemon started are different programs.
 */
export async function isSameProgram(
  first: Pick<WindowFacts, 'appId' | 'pid'>,
  second: Pick<WindowFacts, 'appId' | 'pid'>,
): Promise<boolean> {
  if (first.appId !== '' && first.appId === second.appId) return true;
  if (first.pid === null || second.pid === null) return false;
  if (first.pid === second.pid) return true;
  const [facts, otherFacts] = await Promise.all([factsOf(first.pid), factsOf(second.pid)]);
  // A program that has ended leaves its session to the processes that it started.
  if (!facts || !otherFacts) return (facts?.session ?? otherFacts?.session) === (facts ? second.pid : first.pid);
  if (facts.session === otherFacts.session && !STARTERS.has((await factsOf(facts.session))?.name ?? '')) return true;
  return (await isDescendant(first.pid, second.pid)) || (await isDescendant(second.pid, first.pid));
}

async function isDescendant(pid: number, ancestor: number): Promise<boolean> {
  let current = pid;
  for (let depth = 0; depth < MAX_DEPTH && current > 1; depth += 1) {
    current = (await factsOf(current))?.parent ?? 0;
    if (current === ancestor) return true;
  }
  return false;
}

/** Reads `/proc/PID/stat` (proc(5)). @returns null if the process has ended */
async function factsOf(pid: number): Promise<ProcessFacts | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program is in parentheses, and may contain blanks.
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  const [state = '', parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' || state === 'Z' ? null : { name, parent: Number(parent), state, session: Number(session) };
}
