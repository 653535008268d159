import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { DriverWorker, FleetDriver, WorkerExit, WorkerPlan } from '@pilothouse/core/ports/fleet-driver.port';
import { systemClock, type Clock, type Context, type Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { JoinTokens } from '../join-tokens.ts';
import { workerEnvironment } from '../worker-environment.ts';
import { WorkerPidFiles } from './worker-pid-files.ts';
import { createWorkerTempDirs, removeWorkerTempDirs, removeTempRoot, createTempRoot } from './worker-temp-dirs.ts';
import { WorkerProcess } from './local-worker-process.ts';
import { selectWorkerUser, type WorkerUser } from './worker-user.ts';

export interface LocalDriverOptions {
  /** Program and arguments of a worker. Files may be relative to the controller's working directory. */
  readonly command: readonly string[];
  /** Folder for pid files and worker folders. Not shared with another controller. */
  readonly workFolder: string;
  readonly gatewayUrl: string;
  readonly joinTokens: JoinTokens;
  /** Environment of the controller; only allowed names reach a worker. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly stopGraceMs?: number;
  readonly clock?: Clock;
}

interface Child {
  readonly worker: Omit<DriverWorker, 'state'>;
  readonly process: WorkerProcess;
}

/** Runs workers as child processes. They end with the controller. */
export class LocalDriver implements FleetDriver {
  readonly #options: LocalDriverOptions;
  readonly #clock: Clock;
  readonly #user: WorkerUser | null;
  readonly #command: readonly string[];
  readonly #tempRoot: string;
  readonly #pids: WorkerPidFiles;
  readonly #children = new Map<string, Child>();
  readonly #listeners = new Set<(exit: WorkerExit) => void>();
  /** Starts and cleanups in progress. */
  readonly #pendingWork = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor(options: LocalDriverOptions, pids: WorkerPidFiles, root: string, user: WorkerUser | null) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#pids = pids;
    this.#tempRoot = root;
    this.#user = user;
    this.#command = withAbsolutePaths(options.command);
  }

  /** Stops workers of a dead controller and selects the user of new workers. */
  static async open(options: LocalDriverOptions): Promise<LocalDriver> {
    const { workFolder, log, stopGraceMs = 10_000 } = options;
    await mkdir(workFolder, { recursive: true });
    const pids = new WorkerPidFiles(workFolder);
    await pids.stopOrphans(stopGraceMs, log);
    const user = await selectWorkerUser(readablePaths(withAbsolutePaths(options.command)), log);
    return new LocalDriver(options, pids, await createTempRoot(workFolder, user), user);
  }

  /** User of the workers. Null: the user of the controller. */
  get user(): WorkerUser | null {
    return this.#user;
  }

  list(): Promise<readonly DriverWorker[]> {
    const workers = [...this.#children.values()].map(({ worker, process }): DriverWorker => ({
      ...worker,
      state: process.isStopping ? 'stopping' : 'running',
    }));
    return Promise.resolve(workers);
  }

  async create(plan: WorkerPlan, name: string, { signal }: Context): Promise<void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('The controller is stopping: it creates no workers');
    await this.#track(this.#create(plan, name));
  }

  async #create({ fleet, slots, surface }: WorkerPlan, name: string): Promise<void> {
    const { environment, gatewayUrl, joinTokens, log } = this.#options;
    const token = await joinTokens.issue({ fleet, name });
    /** Invalidates the token of a worker that did not start. */
    const endToken = () =>
      joinTokens
        .end({ fleet, name })
        .catch((error: unknown) => log.warn({ worker: name, error: String(error) }, 'join token not ended'));
    const scratch = await createWorkerTempDirs(this.#tempRoot, name, this.#user).catch(async (error: unknown) => {
      await endToken();
      throw error;
    });
    const workerProcess = await WorkerProcess.start({
      name,
      command: this.#command,
      environment: workerEnvironment(environment, { name, slots, surface, gatewayUrl, ...scratch }),
      token,
      folder: scratch.work,
      user: this.#user,
      log,
    }).catch(async (error: unknown) => {
      await endToken();
      await removeWorkerTempDirs(scratch.folder);
      throw error;
    });
    const startedAt = this.#clock.now().getTime();
    this.#children.set(name, { worker: { name, fleet, startedAt }, process: workerProcess });
    const pidFileWritten = this.#pids.write(name, scratch.folder, workerProcess.pid);
    void workerProcess.exited.then((description) => {
      this.#children.delete(name);
      const exit = { name, fleet, description, ageMs: this.#clock.now().getTime() - startedAt };
      for (const listener of this.#listeners) listener(exit);
      void this.#track(this.#clean(name, workerProcess, scratch.folder, pidFileWritten)).catch((error: unknown) =>
        log.warn({ worker: name, error: String(error) }, 'worker files and processes not removed'),
      );
    });
    await pidFileWritten;
    if (this.#isClosed) workerProcess.stop(0);
  }

  async #clean(
    name: string,
    workerProcess: WorkerProcess,
    folder: string,
    pidFileWritten: Promise<void>,
  ): Promise<void> {
    await workerProcess.kill();
    await pidFileWritten.catch(() => undefined);
    await removeWorkerTempDirs(folder);
    await this.#pids.remove(name);
  }

  stop(name: string): Promise<void> {
    this.#children.get(name)?.process.stop(this.#options.stopGraceMs ?? 10_000);
    return Promise.resolve();
  }

  onExit(listener: (exit: WorkerExit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops all workers, waits until the deadline, then kills the remaining ones. */
  async close({ deadline, signal }: Context): Promise<void> {
    this.#isClosed = true;
    const graceMs = signal.aborted ? 0 : Math.max(0, deadline - this.#clock.monotonic());
    await Promise.allSettled(this.#pendingWork);
    const processes = [...this.#children.values()].map(({ process }) => process);
    for (const process of processes) process.stop(graceMs);
    const killAll = () => processes.forEach((process) => void process.kill());
    signal.addEventListener('abort', killAll, { once: true });
    // A worker that was stopped earlier has its own grace period; the deadline applies to it as well.
    const timer = systemTimers.setTimeout(killAll, graceMs);
    await Promise.all(processes.map(({ exited: workerProcess }) => workerProcess));
    systemTimers.clearTimeout(timer);
    signal.removeEventListener('abort', killAll);
    while (this.#pendingWork.size > 0) await Promise.allSettled(this.#pendingWork);
    await removeTempRoot(this.#tempRoot);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#pendingWork.add(work);
    try {
      return await work;
    } finally {
      this.#pendingWork.delete(work);
    }
  }
}

/** Makes file arguments absolute, because a worker starts in its own folder. */
function withAbsolutePaths(command: readonly string[]): string[] {
  return command.map((part) =>
    !part.startsWith('-') && part.includes('/') && existsSync(part) ? resolve(part) : part,
  );
}

/** Paths that the user of a worker must be able to read: program, scripts and their `node_modules`. */
function readablePaths(command: readonly string[]): string[] {
  const files = command.filter((part) => part.startsWith('/') && existsSync(part));
  return [...files, ...files.slice(1).flatMap(packageFolders)];
}

function packageFolders(file: string): string[] {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if (existsSync(packages)) return [packages];
    if (folder === dirname(folder)) return [];
  }
}
