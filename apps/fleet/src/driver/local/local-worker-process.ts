import type { Readable } from 'node:stream';
import { type Log, systemTimers } from '@pilothouse/core';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { killWorkerProcesses, sendSignal } from './worker-process-tree.ts';
import type { WorkerUser } from './worker-user.ts';

/** Longest line that is kept, in characters: a worker opens hostile pages, and what it prints is not ours. */
const longest = 8_192;

/** Calls back with each line of a stream; a longer one is cut, and its rest dropped. */
export function readLines(stream: Readable, listener: (line: string) => void): void {
  let rest = '';
  let cut = false;
  const flush = () => {
    if (rest.trim() && !cut) listener(rest);
    rest = '';
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = text.split('\n');
    lines.forEach((part, index) => {
      rest += part;
      if (rest.length > longest) {
        rest = rest.slice(0, longest);
        flush();
        cut = true;
      }
      if (index === lines.length - 1) return;
      flush();
      cut = false;
    });
  });
  stream.on('end', flush);
  stream.on('error', () => undefined);
}

const levels = new Map<unknown, keyof Log>([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'error'],
]);

/** Passes a line of a worker on, under the worker's name. A line that is already a log line (JSON) keeps its level and facts. */
export function forwardLogLine(log: Log, worker: string, line: string): void {
  const { level, msg, time: _time, pid: _pid, hostname: _hostname, ...facts } = parsed(line);
  const known = levels.get(level);
  if (known && typeof msg === 'string') log[known]({ ...facts, worker }, `${worker}: ${msg}`);
  else log.info({ worker }, `${worker}: ${line}`);
}

function parsed(line: string): Record<string, unknown> {
  if (!line.startsWith('{')) return {};
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export interface WorkerProcessOptions {
  readonly name: string;
  /** Program and its arguments, files by absolute path. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly user: WorkerUser | null;
  readonly log: Log;
}

/**
 * One worker child process, leader of a group of its own: Ctrl-C at the terminal does not reach it, and what it starts can be ended
 * with it. Its stdin stays open as long as the controller lives, and says nothing: when it ends, the controller is gone.
 */
export class WorkerProcess {
  readonly pid: number;
  /** How it ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  readonly #name: string;
  #alive = true;
  #asked = false;

  private constructor(child: ChildProcess, pid: number, name: string) {
    this.pid = pid;
    this.#name = name;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#alive = false;
        // In this very turn the number is still its own: what is left in its group dies with it.
        sendSignal(-pid, 'SIGKILL');
        resolve(signal ?? `exit code ${code}`);
      });
    });
  }

  /** @throws Error that says why the program could not be started */
  static async start({ name, command, environment, folder, user, log }: WorkerProcessOptions): Promise<WorkerProcess> {
    const [program, ...args] = command;
    if (!program) throw new Error('PILOTHOUSE_WORKER_COMMAND is empty: give program and arguments as a JSON array');
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    child.stdin.on('error', () => undefined);
    readLines(child.stdout, (line) => forwardLogLine(log, name, line));
    readLines(child.stderr, (line) => forwardLogLine(log, name, line));
    await once(child, 'spawn').catch((error: Error) => {
      throw new Error(`${program} cannot be started (${error.message}): see PILOTHOUSE_WORKER_COMMAND`);
    });
    child.on('error', () => undefined);
    return new WorkerProcess(child, child.pid ?? 0, name);
  }

  /** Whether it was told to end. */
  get asked(): boolean {
    return this.#asked;
  }

  /** Tells it to end, and kills it with all it started when it has not within `graceMs`. */
  stop(graceMs: number): void {
    if (!this.#alive || this.#asked) return;
    this.#asked = true;
    // Only the worker hears this: its browser must live on until the worker has handed back its runs.
    sendSignal(this.pid, 'SIGTERM');
    const timer = systemTimers.setTimeout(() => void this.kill(), graceMs);
    void this.ended.then(() => systemTimers.clearTimeout(timer));
  }

  /** Kills it and everything it started. */
  async kill(): Promise<void> {
    await killWorkerProcesses(this.#name, this.#alive ? this.pid : null);
  }
}
