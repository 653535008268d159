import { signalProcess, spawnSupervised, type SupervisedChild, type ChildExit } from '@pilothouse/infra-embedded';
import { assertExited, processTree } from './process-tree.ts';
import { until } from './poll-until.ts';

export interface ProgramOptions {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A component of the stack as a separate process. */
export class Program {
  readonly name: string;
  readonly #lines: string[];
  readonly #child: SupervisedChild;
  #hasEnded = false;

  private constructor(name: string, child: SupervisedChild, lines: string[]) {
    this.name = name;
    this.#child = child;
    this.#lines = lines;
    void child.exited.then(() => (this.#hasEnded = true));
  }

  static async start({ name, args, env }: ProgramOptions): Promise<Program> {
    const lines: string[] = [];
    const child = await spawnSupervised({
      command: process.execPath,
      args: [...args],
      env,
      onLine: (line) => lines.push(line),
      stopSteps: [{ signal: 'SIGTERM', graceMs: 30_000 }],
    });
    return new Program(name, child, lines);
  }

  /** Its output, except for dropped lines. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /**
   * Drops all but the last lines, for programs that run for hours.
   * @returns the number of dropped lines
   */
  trimOutput(maxLines: number): number {
    return this.#lines.splice(0, Math.max(0, this.#lines.length - maxLines)).length;
  }

  get pid(): number {
    return this.#child.identity.pid;
  }

  /** Exit status, once it has ended. */
  get exit(): Promise<ChildExit> {
    return this.#child.exited;
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** Waits for a result of the probe. Fails immediately, with the last lines, when the program ends. */
  async ready<Result>(
    description: string,
    probe: () => Promise<Result | undefined> | Result | undefined,
    ms = 90_000,
  ): Promise<Result> {
    return until(
      `${this.name}: ${description}`,
      () => {
        if (this.#hasEnded) throw new Error(`${this.name} ended instead:\n${this.lines.slice(-20).join('\n')}`);
        return probe();
      },
      ms,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.lines.slice(-20).join('\n')}`, { cause: error });
    });
  }

  /** Sends a signal; does nothing when the program has ended. */
  signal(name: NodeJS.Signals): void {
    signalProcess(this.#child.identity, name);
  }

  /** Waits until the program has ended by itself. */
  async waitForExit(description: string, ms = 90_000): Promise<void> {
    await until(`${this.name} ends: ${description}\n${this.lines.slice(-5).join('\n')}`, () => this.#hasEnded, ms);
  }

  /**
   * Stops the program as an operator would.
   * @throws Error when it has to be killed, or leaves a process behind
   */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const tree = await processTree(this.pid);
    const { signal } = await this.#child.stop();
    await assertExited(tree);
    if (signal === 'SIGKILL')
      throw new Error(`${this.name} did not end by itself:\n${this.lines.slice(-20).join('\n')}`);
  }

  /** Kills the program, like a power failure. Its child processes are gone too when this resolves. */
  async kill(): Promise<void> {
    const tree = await processTree(this.pid);
    this.signal('SIGKILL');
    await this.#child.exited;
    await assertExited(tree);
  }
}
