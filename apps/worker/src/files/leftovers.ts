import { readdir, readFile } from 'node:fs/promises';

/** What names the folder of its worker in the environment of each program that a worker starts. */
const MARK = 'PILOTHOUSE_WORKER_FOLDER';

/** Marks a program as one of the worker that has this folder. */
export const workspaceEnvironment = (folder: string): Record<string, string> => ({ [MARK]: folder });

/**
 * Kills what is left of a worker that is gone: a browser, display or encoder ends with its worker, except when it hangs. With each goes its
 * group, which is its own. Finds nothing where there is no /proc.
 * @returns the numbers of the processes that were found
 */
export async function killOrphanedProcesses(folder: string): Promise<number[]> {
  const mark = `\0${MARK}=${folder}\0`;
  const found: number[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!`\0${environment}\0`.includes(mark)) continue;
    found.push(pid);
    // A group of that number there is only where it leads one.
    for (const which of [-pid, pid]) kill(which);
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone.
  }
}
