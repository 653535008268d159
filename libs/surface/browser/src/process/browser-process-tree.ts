import { readdir, readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** Page size of `statm`. On machines with larger pages, memory is underestimated. */
const PAGE_KB = 4;

/** Process id with its start time, which distinguishes it from a later process with the same id. */
export interface ProcessRef {
  readonly pid: number;
  readonly start: string | null;
}

interface Row extends ProcessRef {
  readonly parent: number;
  readonly group: number;
}

/** Returns the main process of a browser; null if it is unknown. */
export async function mainProcess(browser: Browser): Promise<ProcessRef | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find(({ type }) => type === 'browser')?.id;
  if (pid === undefined) return null;
  return { pid, start: (await processes()).find((row) => row.pid === pid)?.start ?? null };
}

/** Lists all processes of this machine; empty without /proc. */
async function processes(): Promise<Row[]> {
  const names = await readdir('/proc').catch(() => []);
  const stats = names
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  return (await Promise.all(stats)).filter((stat) => stat !== '').map(rowOf);
}

/**
 * Parses a line of /proc/PID/stat: id, name in parentheses, state, parent, group, and start time as field 22. The
 * name may contain anything.
 */
function rowOf(stat: string): Row {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    start: fields[19] ?? null,
  };
}

/** Returns a process, its descendants, and all processes of its group, which remain after their parent exits. */
async function processTree({ pid, start }: ProcessRef): Promise<number[]> {
  const rows = await processes();
  const root = rows.find((row) => row.pid === pid);
  if (root && root.start !== start) return [];
  const tree = new Set(rows.filter((row) => row.pid === pid || row.group === pid).map((row) => row.pid));
  for (let previousSize = -1; previousSize < tree.size;) {
    previousSize = tree.size;
    for (const row of rows) if (tree.has(row.parent)) tree.add(row.pid);
  }
  return [...tree];
}

/** Memory of one process in KB: its proportional share (PSS), or its private memory if the share is not available. */
async function memoryKb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const pss = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
  if (pss !== undefined) return Number(pss);
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number);
  return (resident - shared) * PAGE_KB;
}

/** Memory of a process tree in MB; null if it is not available. */
export async function processTreeMemoryMb(main: ProcessRef): Promise<number | null> {
  const tree = await processTree(main);
  if (tree.length === 0) return null;
  const sizesKb = await Promise.all(tree.map(memoryKb));
  return sizesKb.reduce((sum, kb) => sum + kb, 0) / 1024;
}

/** Kills a process tree. Processes that have exited are ignored. */
export async function killProcessTree(main: ProcessRef): Promise<void> {
  for (const pid of await processTree(main)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited.
    }
  }
}
