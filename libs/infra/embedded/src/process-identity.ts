import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Returns the system code of an error (`ENOENT`), in every JavaScript realm. Undefined when the error has no code. */
export const errorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** Identifies a process even when its number is reused: `born` is its start time as the system reports it. */
export interface ProcessIdentity {
  pid: number;
  born: string;
}

/** Start time of a process in the format of the system. Undefined when there is no such process, or it is a zombie. */
export function readStartTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() || undefined;
  }
  try {
    // the second field, the name, is in parentheses and may contain anything
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' || state === 'X' ? undefined : rest[18];
  } catch (error) {
    if (isNoSuch(error)) return undefined;
    throw error;
  }
}

const isNoSuch = (error: unknown) => ['ENOENT', 'ESRCH'].includes(String(errorCode(error)));

/** Returns the identity of a running process. Undefined when it does not exist. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const born = readStartTime(pid);
  return born === undefined ? undefined : { pid, born };
}

/** True while exactly this process runs. */
export const isAlive = ({ pid, born }: ProcessIdentity) => readStartTime(pid) === born;

/** Sends a signal to exactly this process. Does nothing when it has ended. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (!isNoSuch(error)) throw error;
  }
}

/** A signal, and the milliseconds until the next one. */
export interface StopStep {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** Ends a process that is not a child: sends one signal after another until it has ended. Returns true when it has. */
export async function stopProcess(
  identity: ProcessIdentity,
  steps: StopStep[] = [{ signal: 'SIGTERM', graceMs: 5000 }],
): Promise<boolean> {
  for (const { signal, graceMs } of [...steps, { signal: 'SIGKILL' as const, graceMs: 2000 }]) {
    signalProcess(identity, signal);
    const deadline = performance.now() + graceMs;
    while (isAlive(identity) && performance.now() < deadline) await systemTimers.delay(20);
    if (!isAlive(identity)) return true;
  }
  return false;
}
