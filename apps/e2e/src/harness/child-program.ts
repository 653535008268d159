import { signalProcess, spawnSupervised, type SupervisedChild, type ChildExit } from '@pilothouse/infra-embedded';
import { expectExited, processTree } from './process-tree.ts';
import { until } from './poll-until.ts';

export interface ProgramOptions {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A part of the stack as a process of its own. */
export class Program {
  readonly name: string;
  readonly #lines: string[];
  readonly #child: SupervisedChild;
  #ended = false;

  private constructor(name: string, child: SupervisedChild, lines: string[]) {
    this.name = name;
    this.#child = child;
    this.#lines = lines;
    void child.exited.then(() => (this.#ended = true));
  }

  static async start({ name, args, env }: ProgramOptions): Promise<Program> {
    const lines: string[] = [];
    const child = await spawnSupervised({
      command: process.execPath,
      args: [...args],
      env,
      onLine: (line) => lines.push(line),
      end: [{ signal: 'SIGTERM', graceMs: 30_000 }],
    });
    return new Program(name, child, lines);
  }

  /** All that it wrote, but for what was forgotten. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Keeps no more than the last lines: of what lives for hours nobody asks for all. @returns how many are gone */
  forget(keep: number): number {
    return this.#lines.splice(0, Math.max(0, this.#lines.length - keep)).length;
  }

  get pid(): number {
    return this.#child.mark.pid;
  }

  /** How it ended, once it has. */
  get exit(): Promise<ChildExit> {
    return this.#child.exited;
  }

  get isRunning(): boolean {
    return !this.#ended;
  }

  /** Waits for what the probe finds; fails at once, with the last lines, when the program ends. */
  async ready<Answer>(
    what: string,
    probe: () => Promise<Answer | undefined> | Answer | undefined,
    ms = 90_000,
  ): Promise<Answer> {
    return until(
      `${this.name}: ${what}`,
      () => {
        if (this.#ended) throw new Error(`${this.name} ended instead:\n${this.lines.slice(-20).join('\n')}`);
        return probe();
      },
      ms,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.lines.slice(-20).join('\n')}`, { cause: error });
    });
  }

  /** Sends it a signal; nothing happens when it has just ended. */
  signal(name: NodeJS.Signals): void {
    signalProcess(this.#child.mark, name);
  }

  /** Waits until it has ended by itself. */
  async waitForExit(what: string, ms = 90_000): Promise<void> {
    await until(`${this.name} ends: ${what}\n${this.lines.slice(-5).join('\n')}`, () => this.#ended, ms);
  }

  /** Ends it as an operator would. @throws Error when it needs force, or leaves a process behind */
  async stop(): Promise<void> {
    if (this.#ended) return;
    const tree = await processTree(this.pid);
    const { signal } = await this.#child.stop();
    await expectExited(tree);
    if (signal === 'SIGKILL')
      throw new Error(`${this.name} did not end by itself:\n${this.lines.slice(-20).join('\n')}`);
  }

  /** Takes it away without a word, as a power cut would; what it started is gone too when this resolves. */
  async kill(): Promise<void> {
    const tree = await processTree(this.pid);
    this.signal('SIGKILL');
    await this.#child.exited;
    await expectExited(tree);
  }
}
