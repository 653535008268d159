import { readdir, readFile } from 'node:fs/promises';
import { until } from '../../harness/poll-until.ts';

/** A worker, or something that it started: a browser, one of its parts, a display, an encoder. */
export interface WorkerProcess {
  readonly pid: number;
  /** Name of the worker. */
  readonly worker: string;
  /** Its command line, with blanks between. */
  readonly command: string;
}

/** Milliseconds that a browser has to notice that its worker is dead, on a machine that is busy. */
const EXIT_TIMEOUT_MS = 30_000;

/** Where the worker's name is in the command line of a page's process, whose environment Chromium writes its title over. */
const FOLDER = /\/work-([\w.-]+)\//;

/**
 * Every process that bears one of these workers' names, by whatever way it came to live and whoever its parent is now. What has ended and was
 * not yet collected is none. Empty where the system has no /proc.
 */
export async function processesOf(workers: ReadonlySet<string>): Promise<WorkerProcess[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(numbers.map((number) => look(Number(number))));
  return found.flatMap((one) => (one && workers.has(one.worker) ? [one] : []));
}

/** Waits until nothing of these workers is alive. What stays is killed. @returns what stayed */
export async function leftProcessesOf(workers: ReadonlySet<string>, ms = EXIT_TIMEOUT_MS): Promise<WorkerProcess[]> {
  let left: WorkerProcess[] = [];
  const haveExited = async () => (left = await processesOf(workers)).length === 0;
  await until('the processes are gone', haveExited, ms, 100).catch(() => undefined);
  for (const { pid } of left) killIfRunning(pid);
  return left;
}

/** Takes a process away, unless it has just ended. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What the system says of a process; undefined when it is of no worker, or has ended. */
async function look(pid: number): Promise<WorkerProcess | undefined> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const [environment, line] = await Promise.all([read('environ'), read('cmdline')]);
  const named = environment.split('\0').find((entry) => entry.startsWith('PILOTHOUSE_WORKER_NAME='));
  const worker = named?.slice(named.indexOf('=') + 1) ?? FOLDER.exec(line)?.[1];
  return worker === undefined || line === '' ? undefined : { pid, worker, command: line.replaceAll('\0', ' ').trim() };
}
