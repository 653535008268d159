import type { Attempt } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const ofProcess = /^worker-(\d+)$/;

/** Scratch folders: one for the process, in it one for each attempt. What dead processes left is removed. */
export class Folders {
  /** Folder of this process. */
  readonly own: string;
  private readonly root: string;

  private constructor(root: string, pid: number) {
    this.root = root;
    this.own = join(root, `worker-${pid}`);
  }

  /**
   * @param root folder that may be shared with other workers of the same user
   * @throws Error when it belongs to somebody else
   */
  static async open(root: string, pid: number, log: Log): Promise<Folders> {
    const folders = new Folders(root, pid);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const stat = await lstat(root);
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
      throw new Error(`${root} belongs to somebody else; set PILOTHOUSE_WORKER_DIR to a folder of the worker's own`);
    }
    await folders.sweep(pid, log);
    await mkdir(folders.own, { mode: 0o700 });
    return folders;
  }

  /** A folder for one attempt. Most attempts have no files, and disks are slow to make folders: it is made by the first file. */
  make({ run, epoch }: Attempt): Promise<string> {
    return Promise.resolve(join(this.own, `${run}-${epoch}`));
  }

  /** A folder for what libraries and the browser put down, such as profiles: a worker that is killed leaves them in its own. */
  async temporary(): Promise<string> {
    const folder = join(this.own, 'tmp');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Removes a folder with all in it. */
  async remove(folder: string): Promise<void> {
    if (!existsSync(folder)) return;
    await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  }

  /** Removes the folder of this process. */
  async close(): Promise<void> {
    await this.remove(this.own).catch(() => undefined);
  }

  private async sweep(pid: number, log: Log): Promise<void> {
    for (const name of await readdir(this.root)) {
      const owner = Number(ofProcess.exec(name)?.[1]);
      // Under the own number there can only be a process that is gone.
      if (!owner || (owner !== pid && isAlive(owner))) continue;
      await this.remove(join(this.root, name)).catch((error: Error) =>
        log.warn({ folder: name, error: error.message }, 'a folder of a dead worker cannot be removed'),
      );
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it lives and belongs to somebody else.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
