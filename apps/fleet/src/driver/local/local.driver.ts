import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  systemClock,
  type Clock,
  type Context,
  type DriverWorker,
  type FleetDriver,
  type Log,
  type WorkerExit,
  type WorkerPlan,
  systemTimers,
} from '@pilothouse/core';
import { workerEnvironment } from '../worker-environment.ts';
import { WorkerPidFiles } from './worker-pid-files.ts';
import { createWorkerTempDirs, removeWorkerTempDirs, removeTempRoot, createTempRoot } from './worker-temp-dirs.ts';
import { WorkerProcess } from './local-worker-process.ts';
import { selectWorkerUser, type WorkerUser } from './worker-user.ts';

export interface LocalDriverOptions {
  /** Program and arguments of a worker; files relative to the folder the controller was started in. */
  readonly command: readonly string[];
  /** Folder for pid files and the workers' own folders; of this controller alone. */
  readonly workFolder: string;
  readonly gatewayUrl: string;
  /** Fleet tokens by fleet. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Environment of the controller; only allowed names reach a worker. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** How long a worker may take from being told to end until it is killed, in milliseconds. */
  readonly stopGraceMs?: number;
  readonly clock?: Clock;
}

interface Child {
  readonly worker: Omit<DriverWorker, 'state'>;
  readonly process: WorkerProcess;
}

/** Workers as child processes of the controller: they end with it. */
export class LocalDriver implements FleetDriver {
  readonly #options: LocalDriverOptions;
  readonly #clock: Clock;
  readonly #user: WorkerUser | null;
  readonly #command: readonly string[];
  readonly #scratchRoot: string;
  readonly #pids: WorkerPidFiles;
  readonly #children = new Map<string, Child>();
  readonly #listeners = new Set<(exit: WorkerExit) => void>();
  /** Cleaning after workers that ended, and starts under way. */
  readonly #busy = new Set<Promise<unknown>>();
  #closed = false;

  private constructor(options: LocalDriverOptions, pids: WorkerPidFiles, root: string, user: WorkerUser | null) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#pids = pids;
    this.#scratchRoot = root;
    this.#user = user;
    this.#command = absolute(options.command);
  }

  /** Ends what a dead controller left, and finds out as whom workers may run. */
  static async open(options: LocalDriverOptions): Promise<LocalDriver> {
    const { workFolder, log, stopGraceMs = 10_000 } = options;
    await mkdir(workFolder, { recursive: true });
    const pids = new WorkerPidFiles(workFolder);
    await pids.endLeftovers(stopGraceMs, log);
    const user = await selectWorkerUser(needs(absolute(options.command)), log);
    return new LocalDriver(options, pids, await createTempRoot(workFolder, user), user);
  }

  /** User that workers run as; null: the controller's own. */
  get user(): WorkerUser | null {
    return this.#user;
  }

  list(): Promise<readonly DriverWorker[]> {
    const workers = [...this.#children.values()].map(({ worker, process }): DriverWorker => ({
      ...worker,
      state: process.asked ? 'stopping' : 'running',
    }));
    return Promise.resolve(workers);
  }

  async create(plan: WorkerPlan, name: string, { signal }: Context): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error('The controller is stopping: it creates no workers');
    await this.#track(this.#create(plan, name));
  }

  async #create({ fleet, slots }: WorkerPlan, name: string): Promise<void> {
    const token = this.#options.tokens.get(fleet);
    if (!token) throw new Error(`Fleet ${fleet} has no token here: give it one in PILOTHOUSE_FLEETS`);
    const { environment, gatewayUrl, log } = this.#options;
    const scratch = await createWorkerTempDirs(this.#scratchRoot, name, this.#user);
    const started = await WorkerProcess.start({
      name,
      command: this.#command,
      environment: workerEnvironment(environment, { name, slots, gatewayUrl, token, ...scratch }),
      folder: scratch.work,
      user: this.#user,
      log,
    }).catch(async (error: unknown) => {
      await removeWorkerTempDirs(scratch.folder);
      throw error;
    });
    const startedAt = this.#clock.now().getTime();
    this.#children.set(name, { worker: { name, fleet, startedAt }, process: started });
    const noted = this.#pids.write(name, scratch.folder, started.pid);
    void started.ended.then((how) => {
      this.#children.delete(name);
      const exit = { name, fleet, how, age: this.#clock.now().getTime() - startedAt };
      for (const listener of this.#listeners) listener(exit);
      void this.#track(this.#clean(name, started, scratch.folder, noted)).catch((error: unknown) =>
        log.warn({ worker: name, error: String(error) }, `What ${name} left could not be removed`),
      );
    });
    await noted;
    if (this.#closed) started.stop(0);
  }

  async #clean(name: string, ended: WorkerProcess, folder: string, noted: Promise<void>): Promise<void> {
    await ended.kill();
    await noted.catch(() => undefined);
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

  /** Tells all workers to end, waits for them until the deadline, then kills what is left. */
  async close({ deadline, signal }: Context): Promise<void> {
    this.#closed = true;
    const graceMs = signal.aborted ? 0 : Math.max(0, deadline - this.#clock.monotonic());
    await Promise.allSettled(this.#busy);
    const processes = [...this.#children.values()].map(({ process }) => process);
    for (const process of processes) process.stop(graceMs);
    const hurry = () => processes.forEach((process) => void process.kill());
    signal.addEventListener('abort', hurry, { once: true });
    // One that was told to end before has its own time; here the deadline counts.
    const timer = systemTimers.setTimeout(hurry, graceMs);
    await Promise.all(processes.map(({ ended }) => ended));
    systemTimers.clearTimeout(timer);
    signal.removeEventListener('abort', hurry);
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    await removeTempRoot(this.#scratchRoot);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    try {
      return await work;
    } finally {
      this.#busy.delete(work);
    }
  }
}

/** Arguments that are files, by absolute path: a worker starts in a folder of its own. */
function absolute(command: readonly string[]): string[] {
  return command.map((part) =>
    !part.startsWith('-') && part.includes('/') && existsSync(part) ? resolve(part) : part,
  );
}

/** What the user of a worker must be able to read: program, scripts, and the packages next to them. */
function needs(command: readonly string[]): string[] {
  const files = command.filter((part) => part.startsWith('/') && existsSync(part));
  return [...files, ...files.slice(1).flatMap(packagesOf)];
}

function packagesOf(file: string): string[] {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if (existsSync(packages)) return [packages];
    if (folder === dirname(folder)) return [];
  }
}
