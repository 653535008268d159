import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { killWorkerProcesses, sendSignal, processStartTime } from './worker-process-tree.ts';
import { removeWorkerTempDirs } from './worker-temp-dirs.ts';

/** Identifies a process across reuse of process ids. */
interface ProcessRef {
  readonly pid: number;
  readonly start: string | null;
}

/** Content of a pid file. It exists while the worker process runs. */
export interface WorkerPidFile {
  readonly worker: string;
  readonly scratch: string;
  readonly process: ProcessRef;
  readonly controller: ProcessRef;
}

const isAlive = async ({ pid, start }: ProcessRef) => start !== null && (await processStartTime(pid)) === start;

/** Pid files of worker processes. They let the next controller stop the workers of a killed one. */
export class WorkerPidFiles {
  readonly #folder: string;

  constructor(workFolder: string) {
    this.#folder = join(workFolder, 'pids');
  }

  #path(worker: string) {
    return join(this.#folder, `${worker}.json`);
  }

  async write(worker: string, scratch: string, pid: number): Promise<void> {
    const processRef = async (pid: number) => ({ pid, start: await processStartTime(pid) });
    const file: WorkerPidFile = {
      worker,
      scratch,
      process: await processRef(pid),
      controller: await processRef(process.pid),
    };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#path(worker), JSON.stringify(file), { mode: 0o600 });
  }

  async remove(worker: string): Promise<void> {
    await rm(this.#path(worker), { force: true });
  }

  /**
   * Stops the workers of dead controllers: sends SIGTERM, waits for the handback of their runs, then kills.
   * @param graceMs milliseconds from SIGTERM to SIGKILL
   * @returns names of the stopped workers
   */
  async stopOrphans(graceMs: number, log: Log): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const stopResults = await Promise.all(names.map((name) => this.#stopOrphan(name, graceMs, log)));
    return stopResults.flat();
  }

  async #stopOrphan(name: string, graceMs: number, log: Log): Promise<string[]> {
    const path = join(this.#folder, name);
    const file = await readPidFile(path);
    if (file && (await isAlive(file.controller))) return [];
    if (file) {
      const { worker, process: orphan } = file;
      const isOrphanAlive = await isAlive(orphan);
      if (isOrphanAlive) {
        log.warn({ worker, pid: orphan.pid }, 'stopping worker of an ended controller');
        sendSignal(orphan.pid, 'SIGTERM');
        await holdsWithin(async () => !(await isAlive(orphan)), graceMs);
      }
      // The group id of a dead leader may be in use by another group. Then only processes with the worker's name are killed.
      await killWorkerProcesses(worker, isOrphanAlive ? orphan.pid : null);
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
