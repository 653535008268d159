import { lstat, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Environment variable with the worker folder, set for each child process. */
const FOLDER_VARIABLE = 'PILOTHOUSE_WORKER_FOLDER';

/** Environment that marks a child process as started by the worker of this folder. */
export const workspaceEnvironment = (folder: string): Record<string, string> => ({ [FOLDER_VARIABLE]: folder });

/**
 * Kills orphaned processes of a dead worker. A browser, display or encoder normally ends with its worker, except when it hangs. Kills the
 * process group if the process leads one. Finds nothing without /proc.
 * @returns process ids
 */
export async function killOrphanedProcesses(folder: string): Promise<number[]> {
  const marker = `\0${FOLDER_VARIABLE}=${folder}\0`;
  const pids: number[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!`\0${environment}\0`.includes(marker)) continue;
    pids.push(pid);
    // A group with this id exists only if the process leads it.
    for (const target of [-pid, pid]) kill(target);
  }
  return pids;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited.
  }
}

const processFolderPattern = /^worker-(\d+)$/;

/** Scratch folders: one per process, which contains one per attempt. Removes the folders and hung child processes of dead workers. */
export class Workspaces {
  readonly processFolder: string;
  private readonly root: string;
  /** Names in the folder of this process, read once per event-loop turn. */
  private listing: Promise<ReadonlySet<string>> | undefined;

  private constructor(root: string, pid: number) {
    this.root = root;
    this.processFolder = join(root, `worker-${pid}`);
  }

  /** @param root may be shared with other workers of the same user @throws Error when it belongs to another user */
  static async open(root: string, pid: number, log: Log): Promise<Workspaces> {
    const folders = new Workspaces(root, pid);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const stat = await lstat(root);
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
      throw new Error(`${root} belongs to another user. Set PILOTHOUSE_WORKER_DATA_DIR to a folder of this user.`);
    }
    await folders.removeDeadFolders(pid, log);
    await mkdir(folders.processFolder, { mode: 0o700 });
    return folders;
  }

  /** Reserves the folder of an attempt. The first file creates it: most attempts have no files, and creating folders is slow. */
  create({ run, epoch }: Attempt): Promise<string> {
    return Promise.resolve(join(this.processFolder, `${run}-${epoch}`));
  }

  /** Folder for files of libraries and the browser, such as profiles. It is removed with the process folder, also after a kill. */
  async createTempFolder(): Promise<string> {
    const folder = join(this.processFolder, 'tmp');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /**
   * Removes the folder of an attempt with its content. Attempts that end in one turn of the event loop share one
   * directory listing. Few have a folder, and a listing for each cost a twentieth of a short run.
   */
  async remove(folder: string): Promise<void> {
    this.listing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.listing = undefined;
        try {
          resolve(new Set(readdirSync(this.processFolder)));
        } catch (thrown) {
          reject(thrown as Error);
        }
      });
    });
    if ((await this.listing).has(basename(folder))) await removeAll(folder);
  }

  /** Removes the folder of this process. */
  async close(): Promise<void> {
    await removeAll(this.processFolder).catch(() => undefined);
  }

  private async removeDeadFolders(pid: number, log: Log): Promise<void> {
    for (const name of await readdir(this.root)) {
      const owner = Number(processFolderPattern.exec(name)?.[1]);
      // A folder with the id of this process belongs to a dead process.
      if (!owner || (owner !== pid && isAlive(owner))) continue;
      const folder = join(this.root, name);
      const orphans = await killOrphanedProcesses(folder);
      if (orphans.length > 0)
        log.warn({ folder: name, processes: orphans }, 'orphaned processes of a dead worker killed');
      await removeAll(folder).catch((error: Error) =>
        log.warn({ folder: name, error: error.message }, 'folder of a dead worker not removed'),
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
    // EPERM: it is alive and belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
