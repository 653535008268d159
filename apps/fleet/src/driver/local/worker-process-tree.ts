import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Sends a signal to a process, or to a process group if the number is negative. Returns false if it does not exist. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Start time of a process in the format of the system; null if the process does not exist. Pid and start time together identify a
 * process, because pids are reused. A zombie counts as exited.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    // The name in parentheses may contain parentheses and spaces. The fields after it start with the third.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return !fields || fields[0] === 'Z' ? null : (fields[19] ?? null);
  }
  const ps = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return ps?.stdout.trim() || null;
}

/**
 * Finds processes with the worker's name in their environment, including those that left its group, such as browsers.
 * Returns none on systems without /proc. There a browser ends with the pipe to its worker.
 */
export async function findWorkerProcesses(worker: string): Promise<number[]> {
  const entry = `PILOTHOUSE_WORKER_NAME=${worker}`;
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const matches = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(entry) ? [pid] : [];
    }),
  );
  return matches.flat();
}

/** Kills the process group of a worker, if given, and all processes with its name. */
export async function killWorkerProcesses(worker: string, group: number | null): Promise<void> {
  if (group !== null) sendSignal(-group, 'SIGKILL');
  for (const pid of await findWorkerProcesses(worker)) sendSignal(pid, 'SIGKILL');
}
