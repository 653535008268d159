import { systemTimers } from '@pilothouse/core/timers';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** Environment variable that marks every process of a session, also those that leave their process group. */
export const SESSION_VARIABLE = 'PILOTHOUSE_DESKTOP_SESSION';

/** Milliseconds between two scans for processes that are still alive. */
const SCAN_INTERVAL_MS = 20;

/** Bytes of a memory page. */
const PAGE_BYTES = 4_096;

/** Starts the processes of one session, measures them and ends all of them. */
export class SessionProcesses {
  readonly #id: string;
  readonly #log: number;
  readonly #children = new Set<ChildProcess>();
  readonly #onExit: (program: string, code: number | null) => void;

  /**
   * @param log descriptor that receives the output of the processes
   * @param onExit called when a process that was started with `isEssential` exits
   */
  constructor(id: string, log: number, onExit: (program: string, code: number | null) => void) {
    this.#id = id;
    this.#log = log;
    this.#onExit = onExit;
  }

  /**
   * Starts a program in a process group of its own.
   * @param extra further descriptors, from 3
   * @throws Error if the program does not exist
   */
  async start(
    program: string,
    args: readonly string[],
    options: { env: Record<string, string>; cwd: string; isEssential?: boolean; extra?: readonly 'pipe'[] },
  ): Promise<ChildProcess> {
    const stdio: StdioOptions = ['ignore', this.#log, this.#log, ...(options.extra ?? [])];
    const env = { ...options.env, [SESSION_VARIABLE]: this.#id };
    const child = spawn(program, args, { stdio, env, cwd: options.cwd, detached: true });
    this.#children.add(child);
    child.once('exit', (code) => {
      this.#children.delete(child);
      if (options.isEssential) this.#onExit(program, code);
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#children.delete(child);
        reject(new Error(`${program} cannot be started: ${error.message}`, { cause: error }));
      });
    });
    return child;
  }

  /** Process ids of the session. */
  pids(): Promise<number[]> {
    return sessionPids(this.#id);
  }

  /** Megabytes of resident memory, shared pages counted once per process that maps files, private ones in full. */
  async memoryMb(): Promise<number> {
    const pids = await this.pids();
    const pages = await Promise.all(
      pids.map(async (pid) => {
        const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => ''))
          .split(' ')
          .map(Number);
        return resident - shared;
      }),
    );
    return (pages.reduce((sum, count) => sum + count, 0) * PAGE_BYTES) / 1_048_576;
  }

  /**
   * Kills all processes of the session.
   * @returns ids of the processes that still exist after the timeout
   */
  killAll(timeoutMs: number): Promise<number[]> {
    return killSession(this.#id, timeoutMs);
  }
}

/** Process ids of the session with this id, found by the variable that its processes inherit. */
async function sessionPids(id: string): Promise<number[]> {
  const marker = `${SESSION_VARIABLE}=${id}`;
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    entries.map(async (pid) => {
      if (pid === process.pid) return null;
      // A process of another user, or one that exited meanwhile.
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(marker) ? pid : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

/**
 * Kills all processes of a session.
 * @returns ids of the processes that still exist after the timeout
 */
export async function killSession(id: string, timeoutMs: number): Promise<number[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const pids = await sessionPids(id);
    if (pids.length === 0) return [];
    for (const pid of pids) kill(pid);
    if (performance.now() > deadline) return pids;
    await systemTimers.delay(SCAN_INTERVAL_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited meanwhile.
  }
}
