import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, holdsWithin } from '@pilothouse/core';
import { killWorkerProcesses, sendSignal, processStartTime } from './worker-process-tree.ts';
import { removeWorkerTempDirs } from './worker-temp-dirs.ts';

/** A process, named for good. */
interface ProcessMark {
  readonly pid: number;
  readonly start: string | null;
}

/** What is written down of a worker process while it lives. */
export interface WorkerPidFile {
  readonly worker: string;
  readonly scratch: string;
  readonly process: ProcessMark;
  readonly controller: ProcessMark;
}

const alive = async ({ pid, start }: ProcessMark) => start !== null && (await processStartTime(pid)) === start;

/** Notes of the worker processes, so that the next controller can end what a killed one left. */
export class WorkerPidFiles {
  readonly #folder: string;

  constructor(workFolder: string) {
    this.#folder = join(workFolder, 'pids');
  }

  #path(worker: string) {
    return join(this.#folder, `${worker}.json`);
  }

  async write(worker: string, scratch: string, pid: number): Promise<void> {
    const mark = async (pid: number) => ({ pid, start: await processStartTime(pid) });
    const file: WorkerPidFile = { worker, scratch, process: await mark(pid), controller: await mark(process.pid) };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#path(worker), JSON.stringify(file), { mode: 0o600 });
  }

  async remove(worker: string): Promise<void> {
    await rm(this.#path(worker), { force: true });
  }

  /**
   * Ends the workers of controllers that are dead: asks them first, and waits, for they are about to hand back their runs.
   * @param graceMs how long they may take
   * @returns names of the workers that were left
   */
  async endLeftovers(graceMs: number, log: Log): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const ended = await Promise.all(names.map((name) => this.#endLeftover(name, graceMs, log)));
    return ended.flat();
  }

  async #endLeftover(name: string, graceMs: number, log: Log): Promise<string[]> {
    const path = join(this.#folder, name);
    const file = await readPidFile(path);
    if (file && (await alive(file.controller))) return [];
    if (file) {
      const { worker, process: left } = file;
      const lives = await alive(left);
      if (lives) {
        log.warn({ worker, pid: left.pid }, `${worker} was left by a controller that is gone: it is ended`);
        sendSignal(left.pid, 'SIGTERM');
        await holdsWithin(async () => !(await alive(left)), graceMs);
      }
      // A group whose leader died before may by now be somebody else's: only what carries the name is killed then.
      await killWorkerProcesses(worker, lives ? left.pid : null);
      await removeWorkerTempDirs(file.scratch);
    }
    await rm(path, { force: true });
    return file ? [file.worker] : [];
  }
}

async function readPidFile(path: string): Promise<WorkerPidFile | null> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as WorkerPidFile;
    return file.process.pid > 1 && file.worker.length > 0 && file.scratch.endsWith(file.worker) ? file : null;
  } catch {
    return null;
  }
}
