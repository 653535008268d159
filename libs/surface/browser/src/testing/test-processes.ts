import { execFileSync } from 'node:child_process';
import { poll } from '@pilothouse/core/time/deadlines';
import { testContext } from './browser-test-kit.ts';

// Processes of this machine, for specs of this package.

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly args: readonly string[];
}

/** Lists running processes without zombies. */
const processes = (): Row[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid !== '' && !state?.startsWith('Z'))
    .map(([pid, parent, group, , ...args]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      args,
    }));

/** Returns the browsers that this process started. */
export const browsers = () =>
  processes()
    .filter(({ parent, args }) => parent === process.pid && args.includes('--remote-debugging-pipe'))
    .map(({ pid }) => pid);

/** Returns the arguments of a process. */
export const argumentsOf = (browser: number): readonly string[] =>
  processes().find(({ pid }) => pid === browser)?.args ?? [];

/** Returns the renderer processes of a browser. */
export const renderersOf = (browser: number) =>
  processes()
    .filter(({ group, args }) => group === browser && args.includes('--type=renderer'))
    .map(({ pid }) => pid);

/** Returns the processes of a browser by its group. */
export const processesOf = (browser: number) =>
  processes()
    .filter(({ group }) => group === browser)
    .map(({ pid }) => pid);

/** Waits until none of these browsers has a process. @returns processes left after `ms` milliseconds */
export async function survivingProcesses(exited: readonly number[], ms: number): Promise<number[]> {
  const surviving = () => exited.flatMap(processesOf);
  await poll(async () => (surviving().length === 0 ? true : undefined), testContext(ms));
  return surviving();
}
