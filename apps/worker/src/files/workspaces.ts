import { lstat, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import type { Attempt } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

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

const ofProcess = /^worker-(\d+)$/;

/** Scratch folders: one for the process, in it one for each attempt. What dead processes left is removed, programs that hang included. */
export class Workspaces {
  /** Folder of this process. */
  readonly processFolder: string;
  private readonly root: string;
  /** What is in the folder of this process, looked at in a moment. */
  private there: Promise<ReadonlySet<string>> | undefined;

  private constructor(root: string, pid: number) {
    this.root = root;
    this.processFolder = join(root, `worker-${pid}`);
  }

  /**
   * @param root folder that may be shared with other workers of the same user
   * @throws Error when it belongs to somebody else
   */
  static async open(root: string, pid: number, log: Log): Promise<Workspaces> {
    const folders = new Workspaces(root, pid);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const stat = await lstat(root);
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
      throw new Error(
        `${root} belongs to somebody else; set PILOTHOUSE_WORKER_DATA_DIR to a folder of the worker's own`,
      );
    }
    await folders.sweep(pid, log);
    await mkdir(folders.processFolder, { mode: 0o700 });
    return folders;
  }

  /** A folder for one attempt. Most attempts have no files, and disks are slow to make folders: it is made by the first file. */
  create({ run, epoch }: Attempt): Promise<string> {
    return Promise.resolve(join(this.processFolder, `${run}-${epoch}`));
  }

  /** A folder for what libraries and the browser put down, such as profiles: a worker that is killed leaves them in its own. */
  async createTempFolder(): Promise<string> {
    const folder = join(this.processFolder, 'tmp');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /**
   * Removes the folder of an attempt with all in it. Those that end within one turn of the event loop are looked for together: few have a folder, and a
   * look for each took a twentieth of a short run.
   */
  async remove(folder: string): Promise<void> {
    this.there ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.there = undefined;
        try {
          resolve(new Set(readdirSync(this.processFolder)));
        } catch (thrown) {
          reject(thrown as Error);
        }
      });
    });
    if ((await this.there).has(basename(folder))) await removeAll(folder);
  }

  /** Removes the folder of this process. */
  async close(): Promise<void> {
    await removeAll(this.processFolder).catch(() => undefined);
  }

  private async sweep(pid: number, log: Log): Promise<void> {
    for (const name of await readdir(this.root)) {
      const owner = Number(ofProcess.exec(name)?.[1]);
      // Under the own number there can only be a process that is gone.
      if (!owner || (owner !== pid && isAlive(owner))) continue;
      const folder = join(this.root, name);
      const left = await killOrphanedProcesses(folder);
      if (left.length > 0)
        log.warn({ folder: name, processes: left }, 'what a dead worker had started still ran; it is ended');
      await removeAll(folder).catch((error: Error) =>
        log.warn({ folder: name, error: error.message }, 'a folder of a dead worker cannot be removed'),
      );
    }
  }
}

const removeAll = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it lives and belongs to somebody else.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
