import { readdir, readFile } from 'node:fs/promises';
import { until } from '../../harness/poll-until.ts';

/** A worker, or a process that it started: a browser, one of its processes, a display, an encoder. */
export interface WorkerProcess {
  readonly pid: number;
  /** Name of the worker. */
  readonly worker: string;
  /** Its command line, separated by spaces. */
  readonly command: string;
}

/** Milliseconds for a browser to detect the death of its worker on a busy machine. */
const EXIT_TIMEOUT_MS = 30_000;

/**
 * Position of the worker name in the command line of a page process. Chromium overwrites the environment of that
 * process with its title.
 */
const FOLDER = /\/work-([\w.-]+)\//;

/**
 * Finds every process with the name of one of these workers, independent of its parent. Ignores zombies. Empty where
 * the system has no /proc.
 */
export async function processesOf(workers: ReadonlySet<string>): Promise<WorkerProcess[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(numbers.map((number) => readProcess(Number(number))));
  return processes.flatMap((workerProcess) =>
    workerProcess && workers.has(workerProcess.worker) ? [workerProcess] : [],
  );
}

/**
 * Waits until no process of these workers is alive, and kills the rest.
 * @returns the killed processes
 */
export async function killRemainingProcesses(
  workers: ReadonlySet<string>,
  ms = EXIT_TIMEOUT_MS,
): Promise<WorkerProcess[]> {
  let remaining: WorkerProcess[] = [];
  const haveExited = async () => (remaining = await processesOf(workers)).length === 0;
  await until('the processes are gone', haveExited, ms, 100).catch(() => undefined);
  for (const { pid } of remaining) killIfRunning(pid);
  return remaining;
}

/** Kills a process, unless it has just ended. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Reads a process from /proc. Undefined when it belongs to no worker, or has ended. */
async function readProcess(pid: number): Promise<WorkerProcess | undefined> {
  const readProcFile = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const [environment, line] = await Promise.all([readProcFile('environ'), readProcFile('cmdline')]);
  const nameEntry = environment.split('\0').find((entry) => entry.startsWith('PILOTHOUSE_WORKER_NAME='));
  const worker = nameEntry?.slice(nameEntry.indexOf('=') + 1) ?? FOLDER.exec(line)?.[1];
  return worker === undefined || line === '' ? undefined : { pid, worker, command: line.replaceAll('\0', ' ').trim() };
}
