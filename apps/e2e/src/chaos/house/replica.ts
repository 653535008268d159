import { freePort } from '@pilothouse/infra-embedded';
import { bundleOf } from '../../harness/built.ts';
import { Program } from '../../harness/program.ts';
import { firedIn } from './fired.ts';

/** What is special about one life of a replica. */
interface Life {
  /** Orders for failpoints. */
  readonly failpoints?: string;
  /** More settings, e.g. a clock of its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly migrate?: boolean;
}

/** One replica of the API: the same address through all its lives. */
export class Replica {
  readonly name: string;
  readonly port: number;
  /** Every process it ever was. */
  readonly lives: Program[] = [];
  private readonly env: Readonly<Record<string, string>>;
  private isChanged = false;
  private orders = 0;
  private isMortal = false;

  private constructor(name: string, port: number, env: Readonly<Record<string, string>>) {
    this.name = name;
    this.port = port;
    this.env = env;
  }

  /** @param env settings of the API besides its port */
  static async make(name: string, env: Readonly<Record<string, string>>): Promise<Replica> {
    return new Replica(name, await freePort(0), env);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get program(): Program | undefined {
    const last = this.lives.at(-1);
    return last?.isRunning ? last : undefined;
  }

  /** Whether it runs, as itself: with no order left that would still break it. */
  get isSound(): boolean {
    // An order that kills is read before the end of the process is seen.
    return this.program !== undefined && !this.isChanged && !this.isMortal && this.fired >= this.orders;
  }

  /** Orders of this life that were carried out. */
  get fired(): number {
    return firedIn(this.lives.at(-1)?.lines ?? []).length;
  }

  /** Starts it, unless it runs. */
  async start({ failpoints, env: more, migrate = false }: Life = {}): Promise<void> {
    if (this.program) return;
    const { name, url, env } = this;
    this.isChanged = more !== undefined;
    this.orders = failpoints?.split(',').length ?? 0;
    this.isMortal = failpoints?.includes('=kill') ?? false;
    const program = await Program.start({
      name,
      args: [await bundleOf('api')],
      env: {
        ...env,
        PILOTHOUSE_PORT: String(this.port),
        ...(failpoints !== undefined && { PILOTHOUSE_FAILPOINTS: failpoints }),
        ...(migrate && { PILOTHOUSE_MIGRATE: 'true' }),
        ...more,
      },
    });
    this.lives.push(program);
    await program.ready('it is ready', () =>
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status === 200 || undefined,
        () => undefined,
      ),
    );
  }

  /** Takes its time away: everything stands still until `wake`. */
  freeze(): void {
    if (this.program) process.kill(this.program.pid, 'SIGSTOP');
  }

  wake(): void {
    if (this.program) process.kill(this.program.pid, 'SIGCONT');
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
  async again(life: Life = {}): Promise<void> {
    await this.kill();
    await this.start(life);
  }
}
