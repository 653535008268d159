import { readdir, readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** Memory pages of this size are what `statm` counts; on machines with larger ones memory is taken for smaller than it is. */
const PAGE_KB = 4;

/** A process; its start tells it from a later one with the same number, where the machine says it. */
export interface ProcessRef {
  readonly pid: number;
  readonly start: string | null;
}

interface Row extends ProcessRef {
  readonly parent: number;
  readonly group: number;
}

/** The main process of a browser; null when it does not say. */
export async function mainProcess(browser: Browser): Promise<ProcessRef | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find(({ type }) => type === 'browser')?.id;
  if (pid === undefined) return null;
  return { pid, start: (await processes()).find((row) => row.pid === pid)?.start ?? null };
}

/** All processes of this machine; none where there is no /proc. */
async function processes(): Promise<Row[]> {
  const names = await readdir('/proc').catch(() => []);
  const stats = names
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  return (await Promise.all(stats)).filter((stat) => stat !== '').map(rowOf);
}

/** A line of the table: number, name in brackets, state, parent, group, and, as the 22nd, the start. The name may hold anything. */
function rowOf(stat: string): Row {
  const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(rest[1]),
    group: Number(rest[2]),
    start: rest[19] ?? null,
  };
}

/** A process, all that it started, and all that is in its group: those stay in it when their parent is gone. */
async function familyOf({ pid, start }: ProcessRef): Promise<number[]> {
  const rows = await processes();
  const now = rows.find((row) => row.pid === pid);
  if (now && now.start !== start) return [];
  const family = new Set(rows.filter((row) => row.pid === pid || row.group === pid).map((row) => row.pid));
  for (let before = -1; before < family.size;) {
    before = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
  }
  return [...family];
}

/** Memory of one process in KB: its share of what it has together with others, or, where that is not told, what it has alone. */
async function memoryOf(pid: number): Promise<number> {
  const share = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const pss = /^Pss:\s+(\d+) kB/m.exec(share)?.[1];
  if (pss !== undefined) return Number(pss);
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number);
  return (resident - shared) * PAGE_KB;
}

/** Memory in MB of a process and all that belongs to it; null where the machine does not tell. */
export async function processTreeMemoryMb(main: ProcessRef): Promise<number | null> {
  const family = await familyOf(main);
  if (family.length === 0) return null;
  const each = await Promise.all(family.map(memoryOf));
  return each.reduce((sum, kb) => sum + kb, 0) / 1024;
}

/** Kills a process and all that belongs to it, as far as the machine tells what that is; what is gone already is no failure. */
export async function killProcessTree(main: ProcessRef): Promise<void> {
  for (const pid of await familyOf(main)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      /* Gone. */
    }
  }
}
