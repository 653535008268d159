import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from './poll-until.ts';

const run = promisify(execFile);

/** A process; `started` distinguishes it from a later one with the same number. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
  readonly command: string;
}

/**
 * Lists running processes, all or by number. Zombies are ignored.
 * @param psArgs arguments of ps; a list of all processes costs tens of milliseconds
 */
async function listProcesses(psArgs: readonly string[] = ['-ax']): Promise<ProcessFacts[]> {
  const psRun = run('ps', [...psArgs, '-o', 'pid=,ppid=,stat=,lstart=,args='], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  });
  // ps exits with 1 when it finds none.
  const { stdout } = await psRun.catch((error: { code?: unknown; stdout?: string }) => {
    if (error.code === 1 && error.stdout === '') return { stdout: '' };
    throw error;
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, startedAt, command] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line) ?? [];
    if (!pid || !startedAt || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), startedAt, command: command ?? '' }];
  });
}

/** A process, first, and all its running descendants. */
export async function processTree(pid: number): Promise<ProcessFacts[]> {
  const processes = await listProcesses();
  const tree = processes.filter((candidate) => candidate.pid === pid);
  for (const { pid: parent } of tree) tree.push(...processes.filter((candidate) => candidate.parent === parent));
  return tree;
}

/** Those of the processes that are still running. */
export async function runningProcesses(processes: readonly ProcessFacts[]): Promise<ProcessFacts[]> {
  if (processes.length === 0) return [];
  const numbers = processes.map(({ pid }) => String(pid));
  const startTimes = new Map(
    (await listProcesses(['-p', numbers.join()])).map((facts) => [facts.pid, facts.startedAt]),
  );
  return processes.filter((process) => startTimes.get(process.pid) === process.startedAt);
}

/**
 * Waits until none of these processes is left. Kills the rest.
 * @throws Error naming the killed processes
 */
export async function assertExited(processes: readonly ProcessFacts[], ms = 30_000): Promise<void> {
  let remaining: ProcessFacts[] = [];
  try {
    await until(
      'the processes are gone',
      async () => {
        remaining = await runningProcesses(processes);
        return remaining.length === 0;
      },
      ms,
      100,
    );
  } catch {
    for (const { pid } of remaining) process.kill(pid, 'SIGKILL');
    const names = remaining.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
    throw new Error(`Processes were left behind: ${names.join('; ')}`);
  }
}

/** The environment of a running process, as its owner sees it. */
export async function environmentOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return (await readFile(`/proc/${pid}/environ`, 'utf8')).replaceAll('\0', '\n');
  return (await run('ps', ['eww', '-o', 'command=', '-p', String(pid)])).stdout;
}
