import { readdirSync, readFileSync } from 'node:fs';

/** Parent of every running process. */
function readParents(): Map<number, number> {
  const parentByPid = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(`/proc/${name}/stat`);
    // The program name is in brackets and may contain any character.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent > 0) parentByPid.set(Number(name), parent);
  }
  return parentByPid;
}

/** Empty when the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** These processes and all their descendants. */
export function treeOf(roots: readonly number[]): number[] {
  const tree = [...roots];
  const parents = [...readParents()];
  for (const pid of tree) tree.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree;
}

/** Memory of processes in megabytes (PSS). */
export function pssOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Clock ticks per second on Linux. */
const TICKS = 100;

/** CPU milliseconds of processes since their start. */
export const cpuOf = (pids: readonly number[]): number => cpuBy(pids, [11, 12]);

/** The same, including ended children: a browser constantly starts and ends processes. */
export const cpuWithEnded = (pids: readonly number[]): number => cpuBy(pids, [11, 12, 13, 14]);

function cpuBy(pids: readonly number[], indexes: readonly number[]): number {
  const ticks = pids.flatMap((pid) => {
    const stat = textOf(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return stat ? indexes.map((index) => Number(fields[index])) : [];
  });
  return (1000 * ticks.reduce((sum, count) => sum + count, 0)) / TICKS;
}
