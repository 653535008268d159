import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Sends a signal to a process, or with a negative number to its group. Returns false where there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * When a process started, in the system's own words; null where there is none. Number and start together name a process for
 * good: numbers are used again. A zombie counts as ended.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    // The name in brackets may itself hold brackets and blanks; what follows are the fields from the third on.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return !fields || fields[0] === 'Z' ? null : (fields[19] ?? null);
  }
  const ps = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return ps?.stdout.trim() || null;
}

/**
 * Processes that carry a worker's name in their environment: also those that left its group, as a browser does.
 * Empty where the system has no /proc; there a browser ends with the pipe to its worker.
 */
export async function findWorkerProcesses(worker: string): Promise<number[]> {
  const mark = `PILOTHOUSE_WORKER_NAME=${worker}`;
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').includes(mark) ? [pid] : [];
    }),
  );
  return marked.flat();
}

/** Kills what a worker left: its group (where its number is still its own) and everything that carries its name. */
export async function killWorkerProcesses(worker: string, group: number | null): Promise<void> {
  if (group !== null) sendSignal(-group, 'SIGKILL');
  for (const pid of await findWorkerProcesses(worker)) sendSignal(pid, 'SIGKILL');
}
