import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { access, constants, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from './session-isolation.ts';

/** Environment variable that marks every process of a session, also those that leave their process group. */
export const SESSION_VARIABLE = 'PILOTHOUSE_DESKTOP_SESSION';

/** PATH of programs in a session. */
export const PROGRAM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Milliseconds between two scans for processes that are still alive. */
const SCAN_INTERVAL_MS = 20;

/** Bytes of a memory page. */
const PAGE_BYTES = 4_096;

/** Identifies the processes of a session. */
export interface SessionIdentity {
  /** Value of the environment variable that its processes inherit. */
  readonly id: string;
  /** Folder of the session, in which its processes start. */
  readonly folder: string;
}

/** Starts the processes of one session, measures them and ends all of them. */
export class SessionProcesses {
  readonly #identity: SessionIdentity;
  readonly #log: number;
  readonly #timers: Timers;
  readonly #children = new Set<ChildProcess>();
  readonly #onExit: (program: string, code: number | null) => void;

  /**
   * @param log descriptor that receives the output of the processes
   * @param onExit called when a process that was started with `isEssential` exits
   */
  constructor(
    identity: SessionIdentity,
    log: number,
    onExit: (program: string, code: number | null) => void,
    timers: Timers = systemTimers,
  ) {
    this.#identity = identity;
    this.#log = log;
    this.#onExit = onExit;
    this.#timers = timers;
  }

  /**
   * Starts a program in a separate process group.
   * @param extra further descriptors, from 3
   * @throws Error if the program does not exist
   */
  async start(
    program: string,
    args: readonly string[],
    options: { env: Record<string, string>; cwd: string; isEssential?: boolean; extra?: readonly 'pipe'[] },
  ): Promise<ChildProcess> {
    const stdio: StdioOptions = ['ignore', this.#log, this.#log, ...(options.extra ?? [])];
    const env = { ...options.env, [SESSION_VARIABLE]: this.#identity.id };
    const command = await withoutCapabilities({ program, args }, options.env.PATH ?? PROGRAM_PATH);
    const child = spawn(command.program, command.args, { stdio, env, cwd: options.cwd, detached: true });
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
    return sessionPids(this.#identity);
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
    return killSession(this.#identity, timeoutMs, this.#timers);
  }
}

/** Options of setpriv(1) that remove the capability of a session process. Programs cannot read the memory of a process that has more. */
const DROP_CAPABILITIES = ['--inh-caps=-all', '--ambient-caps=-all', '--'];

/**
 * Runs a program without the capability that `session-isolation.ts` gives to the session process of an ordinary user.
 * @throws Error if the program does not exist
 */
async function withoutCapabilities(command: Command, path: string): Promise<Command> {
  const status = await readFile('/proc/self/status', 'latin1').catch(() => '');
  if (!/^CapAmb:\s*0*[1-9a-f]/m.test(status)) return command;
  const { program, args } = command;
  const candidates = program.includes('/') ? [program] : path.split(':').map((folder) => join(folder, program));
  const found = await Promise.all(
    candidates.map((candidate) =>
      access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (!found.includes(true)) throw new Error(`${program} cannot be started: it does not exist`);
  return { program: 'setpriv', args: [...DROP_CAPABILITIES, program, ...args] };
}

/**
 * Finds the processes of a session: by the variable that they inherit, by their working folder, and their children. Chromium overwrites its
 * environment with its title, and some programs change their folder.
 */
export async function sessionPids(identity: SessionIdentity): Promise<number[]> {
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(
    entries.filter((pid) => pid !== process.pid).map((pid) => readProcess(pid, identity)),
  );
  const found = new Set(processes.filter(({ belongsToSession }) => belongsToSession).map(({ pid }) => pid));
  for (let count = -1; count !== found.size;) {
    count = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** A process of another user, or one that exited meanwhile, reads as not marked. */
async function readProcess(pid: number, { id, folder }: SessionIdentity) {
  const [environment, workingFolder, stat] = await Promise.all([
    readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
    readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''),
  ]);
  const belongsToSession =
    environment.split('\0').includes(`${SESSION_VARIABLE}=${id}`) || `${workingFolder}/`.startsWith(`${folder}/`);
  // The name of the program is in parentheses and may contain any character.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(parent), belongsToSession };
}

/**
 * Kills all processes of a session.
 * @returns ids of the processes that still exist after the timeout
 */
export async function killSession(
  identity: SessionIdentity,
  timeoutMs: number,
  timers: Timers = systemTimers,
): Promise<number[]> {
  const deadline = timers.monotonic() + timeoutMs;
  for (;;) {
    const pids = await sessionPids(identity);
    if (pids.length === 0) return [];
    for (const pid of pids) kill(pid);
    if (timers.monotonic() > deadline) return pids;
    await timers.delay(SCAN_INTERVAL_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited meanwhile.
  }
}
