import { execFileSync } from 'node:child_process';
import { poll } from '@pilothouse/core';
import { testContext } from './browser-test-kit.ts';

/*
 * The processes of this machine, for the specs of this package.
 */

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly args: readonly string[];
}

/** All that live: one that ended and was not fetched by its parent does not. */
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

/** The browsers that this process started. */
export const browsers = () =>
  processes()
    .filter(({ parent, args }) => parent === process.pid && args.includes('--remote-debugging-pipe'))
    .map(({ pid }) => pid);

/** What a process was started with. */
export const argumentsOf = (browser: number): readonly string[] =>
  processes().find(({ pid }) => pid === browser)?.args ?? [];

/** The processes that a browser has for pages. */
export const renderersOf = (browser: number) =>
  processes()
    .filter(({ group, args }) => group === browser && args.includes('--type=renderer'))
    .map(({ pid }) => pid);

/** The processes of a browser: its group. */
export const processesOf = (browser: number) =>
  processes()
    .filter(({ group }) => group === browser)
    .map(({ pid }) => pid);

/** Waits until none of these browsers has a process. @returns what is left after `ms` milliseconds */
export async function survivingProcesses(gone: readonly number[], ms: number): Promise<number[]> {
  const left = () => gone.flatMap(processesOf);
  await poll(async () => (left().length === 0 ? true : undefined), testContext(ms));
  return left();
}
