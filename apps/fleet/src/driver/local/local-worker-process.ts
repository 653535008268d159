import type { Duplex, Readable } from 'node:stream';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { TOKEN_DESCRIPTOR } from '@pilothouse/infra-config';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { killWorkerProcesses, sendSignal } from './worker-process-tree.ts';
import type { WorkerUser } from './worker-user.ts';

/** Maximum length of a log line, in characters. Worker output is untrusted: a worker opens hostile pages. */
const MAX_LINE_LENGTH = 8_192;

/** Calls the listener with each line of a stream. Truncates longer lines. */
export function readLines(stream: Readable, listener: (line: string) => void): void {
  let buffer = '';
  let isTruncated = false;
  const flush = () => {
    if (buffer.trim() && !isTruncated) listener(buffer);
    buffer = '';
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = text.split('\n');
    lines.forEach((part, index) => {
      buffer += part;
      if (buffer.length > MAX_LINE_LENGTH) {
        buffer = buffer.slice(0, MAX_LINE_LENGTH);
        flush();
        isTruncated = true;
      }
      if (index === lines.length - 1) return;
      flush();
      isTruncated = false;
    });
  });
  stream.on('end', flush);
  stream.on('error', () => undefined);
}

/** Milliseconds to wait for the last output of a worker that failed. */
const LAST_OUTPUT_TIMEOUT_MS = 1_000;

/** Maximum length of the error in the description of an exit, in characters. */
const MAX_ERROR_LENGTH = 500;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies (keyof Log)[];

/**
 * Logs a line of a worker with the worker's name. A JSON log line keeps its level and fields.
 * @returns the message of an error
 */
function forwardLogLine(log: Log, worker: string, line: string): string | undefined {
  const { level, message, time: _time, name: _name, ...facts } = parseLogLine(line);
  const logLevel = LEVELS.find((name) => name === level);
  if (logLevel && typeof message === 'string') log[logLevel]({ ...facts, worker }, `${worker}: ${message}`);
  else log.info({ worker }, `${worker}: ${line}`);
  return logLevel === 'error' && typeof message === 'string' ? message : undefined;
}

function parseLogLine(line: string): Record<string, unknown> {
  if (!line.startsWith('{')) return {};
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export interface WorkerProcessOptions {
  readonly name: string;
  /** Program and arguments. Files have absolute paths. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Token that the worker reads from its descriptor. It appears in no environment, argument or file. */
  readonly token: string;
  readonly folder: string;
  readonly user: WorkerUser | null;
  readonly log: Log;
}

/**
 * One worker child process in its own process group. Ctrl-C in the terminal does not reach it, and its children can be killed with it.
 * Its stdin stays open and silent; the end of stdin tells the worker that the controller exited.
 */
export class WorkerProcess {
  readonly pid: number;
  /** Resolves with a description of the exit, e.g. `exit code 1: the last error of the worker`. Never rejects. */
  readonly exited: Promise<string>;
  readonly #name: string;
  #isAlive = true;
  #isStopping = false;

  private constructor(child: ChildProcess, pid: number, name: string, lastError: () => string | undefined) {
    this.pid = pid;
    this.#name = name;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isAlive = false;
        // The process group id cannot be reused yet in this turn, so the signal reaches only this worker's group.
        sendSignal(-pid, 'SIGKILL');
        if (code) void describeFailure(child, code, lastError).then(resolve);
        else resolve(signal ?? `exit code ${code}`);
      });
    });
  }

  /** @throws Error if the program cannot be started */
  static async start({
    name,
    command,
    environment,
    token,
    folder,
    user,
    log,
  }: WorkerProcessOptions): Promise<WorkerProcess> {
    const [program, ...args] = command;
    if (!program) throw new Error('PILOTHOUSE_WORKER_COMMAND is empty: give program and arguments as a JSON array');
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    child.stdin.on('error', () => undefined);
    const tokenPipe = child.stdio[TOKEN_DESCRIPTOR] as Duplex;
    // A worker that has exited does not read it.
    tokenPipe.on('error', () => undefined).resume();
    tokenPipe.end(token);
    let lastError: string | undefined;
    const forward = (line: string) => {
      lastError = forwardLogLine(log, name, line) ?? lastError;
    };
    readLines(child.stdout, forward);
    readLines(child.stderr, forward);
    await once(child, 'spawn').catch((error: Error) => {
      throw new Error(`${program} cannot be started (${error.message}): see PILOTHOUSE_WORKER_COMMAND`);
    });
    child.on('error', () => undefined);
    return new WorkerProcess(child, child.pid ?? 0, name, () => lastError);
  }

  /** True after `stop`. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Sends SIGTERM, and kills the process tree after `graceMs`. */
  stop(graceMs: number): void {
    if (!this.#isAlive || this.#isStopping) return;
    this.#isStopping = true;
    // Only to the worker: its browser must run until the worker has handed back its runs.
    sendSignal(this.pid, 'SIGTERM');
    const timer = systemTimers.setTimeout(() => void this.kill(), graceMs);
    void this.exited.then(() => systemTimers.clearTimeout(timer));
  }

  /** Kills the process tree. */
  async kill(): Promise<void> {
    await killWorkerProcesses(this.#name, this.#isAlive ? this.pid : null);
  }
}

/** The error may still be in the pipe when the process has exited. */
async function describeFailure(
  child: ChildProcess,
  code: number,
  lastError: () => string | undefined,
): Promise<string> {
  await Promise.race([once(child, 'close'), systemTimers.delay(LAST_OUTPUT_TIMEOUT_MS)]).catch(() => undefined);
  const error = lastError();
  return error ? `exit code ${code}: ${error.slice(0, MAX_ERROR_LENGTH)}` : `exit code ${code}`;
}
