import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@pilothouse/infra-embedded';
import { bundleOf } from '../../harness/bundles.ts';
import { Program } from '../../harness/child-program.ts';
import { firedIn, type Fired } from './fired-failpoint.ts';

/** What is special about one life of a replica. */
interface Life {
  /** Orders for failpoints. */
  readonly failpoints?: string;
  /** More settings, e.g. a clock of its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly migrate?: boolean;
}

/** Lines of a replica that are last words. */
const MAX_LINES = 1_000;

/** Milliseconds for it to answer whether it is ready: more than it gives the parts that it asks, of which it tells. */
const READY_MS = 5_000;

/** Milliseconds for a process to read its orders. */
const ARM_MS = 15_000;

/** One replica of the API: the same address through all its lives. */
export class Replica {
  readonly name: string;
  readonly port: number;
  /** Every process it was in this case, and the last one before. */
  readonly lives: Program[] = [];
  private readonly env: Readonly<Record<string, string>>;
  /** Holds the orders for its failpoints. */
  private readonly ordersFile: string;
  private isChanged = false;
  private isArmed = false;
  /** Lines of its life before it was armed. */
  private quiet = 0;

  private constructor(name: string, port: number, env: Readonly<Record<string, string>>, dir: string) {
    this.name = name;
    this.port = port;
    this.env = env;
    this.ordersFile = join(dir, `${name}.failpoints`);
  }

  /** @param env settings of the API besides its port @param dir for what it keeps in files */
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

  /** Orders that were carried out since it was last told some. */
  get fired(): number {
    return firedIn(this.lives.at(-1)?.lines.slice(this.quiet) ?? []).length;
  }

  /** Everything that was said in these lives, so far: for `firedSince`. */
  get lineCount(): number {
    return this.lives.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Orders that were carried out after `said`. */
  firedSince(lineCount: number): Fired[] {
    return firedIn(this.lives.flatMap(({ lines }) => lines).slice(lineCount));
  }

  /** Forgets what was said in former cases: between two of them only. */
  forget(): void {
    this.lives.splice(0, this.lives.length - 1);
    const gone = this.lives.at(-1)?.forget(MAX_LINES) ?? 0;
    this.quiet = Math.max(0, this.quiet - gone);
  }

  /** Starts it, unless it runs. */
  async start({ failpoints = '', env: more, migrate = false }: Life = {}): Promise<void> {
    if (this.program) return;
    const { name, url, env, ordersFile } = this;
    this.isChanged = more !== undefined;
    this.isArmed = failpoints !== '';
    this.quiet = 0;
    await writeFile(ordersFile, failpoints);
    const program = await Program.start({
      name,
      args: [await bundleOf('api')],
      env: {
        ...env,
        PILOTHOUSE_PORT: String(this.port),
        PILOTHOUSE_FAILPOINTS: `@${ordersFile}`,
        ...(migrate && { PILOTHOUSE_MIGRATE_ON_START: 'true' }),
        ...more,
      },
    });
    this.lives.push(program);
    let answered = '';
    const ask = async () => {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
      answered = await response.text();
      return response.status === 200 || undefined;
    };
    const isReady = () =>
      ask().catch((error: unknown) => {
        answered = String(error);
        return undefined;
      });
    await program.ready('it is ready', isReady).catch((error: unknown) => {
      throw new Error(`${String(error)}\nIt answered: ${answered}`, { cause: error });
    });
  }

  /** Has it break at these failpoints from now on. A start costs seconds of a core: where it runs as itself it is only told. */
  async arm(failpoints: string): Promise<void> {
    if (!this.program || this.isChanged) return this.restart({ failpoints });
    await this.setFailpoints(this.program, failpoints);
  }

  /** Has it run as itself: with no order left that would still break it. */
  async restore(): Promise<void> {
    const { program } = this;
    if (!program || this.isChanged) return this.restart();
    if (!this.isArmed) return;
    // An order that kills may be carried out while it is taken back.
    await this.setFailpoints(program, '').catch(async (thrown: unknown) => {
      if (program.isRunning) throw thrown;
      await this.start();
    });
  }

  /** Takes its time away: everything stands still until `wake`. */
  freeze(): void {
    this.program?.signal('SIGSTOP');
  }

  wake(): void {
    this.program?.signal('SIGCONT');
  }

  /** Takes it away at once. */
  async kill(): Promise<void> {
    await this.program?.kill();
  }

  /** Ends it as an operator would. */
  async stop(): Promise<void> {
    this.wake();
    await this.program?.stop();
  }

  /** Another life with these settings. */
  async restart(life: Life = {}): Promise<void> {
    await this.kill();
    await this.start(life);
  }

  private async setFailpoints(program: Program, failpoints: string): Promise<void> {
    const read = () => program.lines.filter((line) => line.includes('Failpoints are')).length;
    const before = read();
    await writeFile(this.ordersFile, failpoints);
    program.signal('SIGUSR2');
    await program.ready(
      'it reads its orders',
      () => {
        // It may have stopped itself a moment ago.
        program.signal('SIGCONT');
        return read() > before || undefined;
      },
      ARM_MS,
    );
    this.isArmed = failpoints !== '';
    this.quiet = program.lines.findLastIndex((line) => line.includes('Failpoints are'));
  }
}
