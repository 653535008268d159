import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds before a stopping program is killed. */
const END_MS = 20_000;

export interface ProgramOptions {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Output file; a pipe would use CPU of the measuring process. */
  readonly logFile: string;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// A signal ends a process without `exit`, and its children would remain.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

/** A component as a process. */
export class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  private constructor(child: ChildProcess, { name, logFile }: ProgramOptions) {
    this.name = name;
    this.#child = child;
    this.#logFile = logFile;
    alive.add(child);
    child.once('exit', () => alive.delete(child));
  }

  static async start(options: ProgramOptions): Promise<Program> {
    const log = await open(options.logFile, 'a');
    const child = spawn(process.execPath, options.args, {
      env: { ...options.env },
      stdio: ['ignore', log.fd, log.fd],
      // A separate process group is killed with its children.
      detached: true,
    });
    await once(child, 'spawn');
    await log.close();
    return new Program(child, options);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  log(): Promise<string> {
    return readFile(this.#logFile, 'utf8');
  }

  /** Waits for a result of the probe. @throws Error with the last lines when the program ends, or after a timeout */
  async ready(description: string, probe: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
    const deadline = performance.now() + ms;
    while (!(await probe())) {
      if (this.isRunning && performance.now() < deadline) await pause(10);
      else throw new Error(`${this.name}: ${description} did not come true:\n${(await this.log()).slice(-3000)}`);
    }
  }

  /** Stops it as an operator would. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const killTimer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(killTimer);
  }

  /** Kills it and its children. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    process.kill(-this.pid, 'SIGKILL');
    await exited;
  }
}
