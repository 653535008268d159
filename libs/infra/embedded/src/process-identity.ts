import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemTimers } from '@pilothouse/core';
import { errorCode } from './error-code.ts';

/** A process, told apart from a later one that got the same number: `born` is when the system says it started. */
export interface ProcessIdentity {
  pid: number;
  born: string;
}

/** When a process started, in the system's own words; undefined when there is no such process (a zombie counts as none). */
export function readStartTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() || undefined;
  }
  try {
    // the second field, the name, is in parentheses and may hold anything
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

/** The mark of a process that runs now; undefined when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const born = readStartTime(pid);
  return born === undefined ? undefined : { pid, born };
}

/** Whether exactly this process still runs. */
export const isAlive = ({ pid, born }: ProcessIdentity) => readStartTime(pid) === born;

/** Sends a signal to exactly this process; nothing happens when it is gone. */
export function signalProcess(mark: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, signal);
  } catch (error) {
    if (!isNoSuch(error)) throw error;
  }
}

/** One way to ask a process to end, and how many milliseconds it has for it. */
export interface StopStep {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** Ends a process that is not our child: signal after signal until it is gone. Answers whether it is. */
export async function stopProcess(
  mark: ProcessIdentity,
  steps: StopStep[] = [{ signal: 'SIGTERM', graceMs: 5000 }],
): Promise<boolean> {
  for (const { signal, graceMs } of [...steps, { signal: 'SIGKILL' as const, graceMs: 2000 }]) {
    signalProcess(mark, signal);
    const deadline = performance.now() + graceMs;
    while (isAlive(mark) && performance.now() < deadline) await systemTimers.delay(20);
    if (!isAlive(mark)) return true;
  }
  return false;
}
