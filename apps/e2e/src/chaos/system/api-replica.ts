import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@pilothouse/infra-embedded';
import { bundleOf } from '../../harness/bundles.ts';
import { Program } from '../../harness/child-program.ts';
import { firedIn, type Fired } from './fired-failpoint.ts';

/** Settings of one life of a replica. */
interface Life {
  /** Failpoint orders. */
  readonly failpoints?: string;
  /** Further settings, for example another clock. */
  readonly env?: Readonly<Record<string, string>>;
  readonly migrate?: boolean;
}

/** Number of last output lines of a replica. */
const MAX_LINES = 1_000;

/** Milliseconds for the readiness check, above the timeout of the dependencies that it checks. */
const READY_MS = 5_000;

/** Milliseconds for a process to read its failpoint orders. */
const ARM_MS = 15_000;

/** One replica of the API, with the same address in all its lives. */
export class Replica {
  readonly name: string;
  readonly port: number;
  /** Every process of this case, and the last one before. */
  readonly lives: Program[] = [];
  private readonly env: Readonly<Record<string, string>>;
  /** File with its failpoint orders. */
  private readonly ordersFile: string;
  private isChanged = false;
  private isArmed = false;
  /** Output lines before the failpoints were enabled. */
  private linesBeforeFailpoints = 0;

  private constructor(name: string, port: number, env: Readonly<Record<string, string>>, dir: string) {
    this.name = name;
    this.port = port;
    this.env = env;
    this.ordersFile = join(dir, `${name}.failpoints`);
  }

  /**
   * @param env settings of the API except its port
   * @param dir folder for its files
   */
  static async make(name: string, env: Readonly<Record<string, string>>, dir: string): Promise<Replica> {
    return new Replica(name, await findFreePort(0), env, dir);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get program(): Program | undefined {
    const last = this.lives.at(-1);
    return last?.isRunning ? last : undefined;
  }

  /** Executed orders since the last change of orders. */
  get fired(): number {
    return firedIn(this.lives.at(-1)?.lines.slice(this.linesBeforeFailpoints) ?? []).length;
  }

  /** Position in the output of these lives, for `firedSince`. */
  get lineCount(): number {
    return this.lives.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Orders that were executed after `lineCount` lines of output. */
  firedSince(lineCount: number): Fired[] {
    return firedIn(this.lives.flatMap(({ lines }) => lines).slice(lineCount));
  }

  /** Drops the output of former cases. Call it only between two cases. */
  forget(): void {
    this.lives.splice(0, this.lives.length - 1);
    const droppedLines = this.lives.at(-1)?.trimOutput(MAX_LINES) ?? 0;
    this.linesBeforeFailpoints = Math.max(0, this.linesBeforeFailpoints - droppedLines);
  }

  /** Starts the replica unless it runs. */
  async start({ failpoints = '', env: variables, migrate = false }: Life = {}): Promise<void> {
    if (this.program) return;
    const { name, url, env, ordersFile } = this;
    this.isChanged = variables !== undefined;
    this.isArmed = failpoints !== '';
    this.linesBeforeFailpoints = 0;
    await writeFile(ordersFile, failpoints);
    const program = await Program.start({
      name,
      args: [await bundleOf('api')],
      env: {
        ...env,
        PILOTHOUSE_PORT: String(this.port),
        PILOTHOUSE_FAILPOINTS: `@${ordersFile}`,
        ...(migrate && { PILOTHOUSE_MIGRATE_ON_START: 'true' }),
        ...variables,
      },
    });
    this.lives.push(program);
    let lastResponse = '';
    const probe = async () => {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
      lastResponse = await response.text();
      return response.status === 200 || undefined;
    };
    const isReady = () =>
      probe().catch((error: unknown) => {
        lastResponse = String(error);
        return undefined;
      });
    await program.ready('it is ready', isReady).catch((error: unknown) => {
      throw new Error(`${String(error)}\nLast response: ${lastResponse}`, { cause: error });
    });
  }

  /** Enables failpoints. A start is expensive, so a replica with default settings only reloads its orders. */
  async arm(failpoints: string): Promise<void> {
    if (!this.program || this.isChanged) return this.restart({ failpoints });
    await this.setFailpoints(this.program, failpoints);
  }

  /** Restores default settings, without failpoint orders. */
  async restore(): Promise<void> {
    const { program } = this;
    if (!program || this.isChanged) return this.restart();
    if (!this.isArmed) return;
    // A kill order may execute while it is being removed.
    await this.setFailpoints(program, '').catch(async (error: unknown) => {
      if (program.isRunning) throw error;
      await this.start();
    });
  }

  /** Suspends the process until `wake`. */
  freeze(): void {
    this.program?.signal('SIGSTOP');
  }

  wake(): void {
    this.program?.signal('SIGCONT');
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.program?.kill();
  }

  /** Stops the process as an operator would. */
  async stop(): Promise<void> {
    this.wake();
    await this.program?.stop();
  }

  /** Restarts with these settings. */
  async restart(life: Life = {}): Promise<void> {
    await this.kill();
    await this.start(life);
  }

  private async setFailpoints(program: Program, failpoints: string): Promise<void> {
    const countReloads = () => program.lines.filter((line) => line.includes('failpoints ')).length;
    const previousReloads = countReloads();
    await writeFile(this.ordersFile, failpoints);
    program.signal('SIGUSR2');
    await program.ready(
      'it reads its orders',
      () => {
        // It may have stopped itself just before.
        program.signal('SIGCONT');
        return countReloads() > previousReloads || undefined;
      },
      ARM_MS,
    );
    this.isArmed = failpoints !== '';
    this.linesBeforeFailpoints = program.lines.findLastIndex((line) => line.includes('failpoints '));
  }
}
