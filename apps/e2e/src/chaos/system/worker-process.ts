import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleOf } from '../../harness/bundles.ts';
import { Program } from '../../harness/child-program.ts';
import { searchPath } from '../../harness/servers.fixture.ts';
import { firedIn, type Fired } from './fired-failpoint.ts';
import { NetworkGate } from './network-gate.ts';
import { compileCache, HELD_LEASE_MS, SLOTS, type FleetName } from './chaos-settings.ts';

/** Settings of the system for a worker. */
interface WorkerHost {
  readonly dir: string;
  readonly replicas: readonly { readonly port: number }[];
  token(fleet: FleetName): string;
}

/** Settings of a worker of a case. */
export interface ChaosWorkerOptions {
  readonly name: string;
  readonly surface: 'http' | 'browser';
  readonly fleet: FleetName;
  /** Failpoint orders. */
  readonly failpoints?: string;
  /** Further settings, for example another clock. */
  readonly env?: Readonly<Record<string, string>>;
  readonly slots?: number;
  /** Index of its replica. */
  readonly preferred?: number;
}

/** A worker of a case, with its own network gate to the gateways. */
export class ChaosWorker {
  readonly name: string;
  readonly gate: NetworkGate;
  readonly program: Program;
  readonly fleet: FleetName;
  /** True when it has failpoint orders. */
  readonly isArmed: boolean;

  private constructor({ name, fleet, failpoints }: ChaosWorkerOptions, gate: NetworkGate, program: Program) {
    this.name = name;
    this.fleet = fleet;
    this.isArmed = failpoints !== undefined;
    this.gate = gate;
    this.program = program;
  }

  /** Starts a worker and waits until a gateway has registered it. */
  static async start(system: WorkerHost, options: ChaosWorkerOptions): Promise<ChaosWorker> {
    const { name, surface, fleet, failpoints, env, slots = SLOTS, preferred = 0 } = options;
    const gate = await NetworkGate.open(() => system.replicas.map(({ port }) => port));
    gate.preferred = preferred;
    const tokenFile = join(system.dir, `token-${fleet}`);
    await writeFile(tokenFile, system.token(fleet), { mode: 0o600 });
    const program = await Program.start({
      name,
      args: [await bundleOf('worker')],
      env: {
        PATH: searchPath(),
        PILOTHOUSE_GATEWAY_URL: `ws://127.0.0.1:${gate.port}/v1/gateway`,
        PILOTHOUSE_FLEET_TOKEN_FILE: tokenFile,
        PILOTHOUSE_WORKER_NAME: name,
        PILOTHOUSE_WORKER_DATA_DIR: `${system.dir}/work-${name}`,
        PILOTHOUSE_SLOTS: String(slots),
        PILOTHOUSE_SURFACE: surface,
        PILOTHOUSE_HEADLESS: 'true',
        PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'private',
        PILOTHOUSE_DRAIN_GRACE_SECONDS: '5',
        NODE_COMPILE_CACHE: compileCache,
        ...(failpoints !== undefined && { PILOTHOUSE_FAILPOINTS: failpoints }),
        ...env,
      },
    });
    const worker = new ChaosWorker(options, gate, program);
    try {
      await program.ready('the gateway welcomes it', () => worker.wasWelcomed || undefined);
      return worker;
    } catch (error) {
      await Promise.allSettled([program.kill(), gate.close()]);
      throw error;
    }
  }

  get wasWelcomed(): boolean {
    return this.program.lines.some((line) => line.includes('gateway session opened'));
  }

  get isAlive(): boolean {
    return this.program.isRunning;
  }

  /** True when it has no work. */
  get isIdle(): boolean {
    const countLines = (text: string) => this.program.lines.filter((line) => line.includes(text)).length;
    return countLines('"run started"') === countLines('"run ended"');
  }

  /** Executed failpoint orders. */
  get fired(): Fired[] {
    return firedIn(this.program.lines);
  }

  async kill(): Promise<void> {
    await this.program.kill();
  }

  /** Suspends the process until `wake`. */
  freeze(): void {
    this.program.signal('SIGSTOP');
  }

  wake(): void {
    this.program.signal('SIGCONT');
  }

  /** Stops the worker gracefully, and verifies that it leaves nothing behind. */
  async stop(): Promise<void> {
    this.gate.mode = 'open';
    this.gate.delayMs = 0;
    // It may stop itself once more during its shutdown.
    const waking = setInterval(() => this.wake(), 200);
    await this.program.stop().finally(() => {
      clearInterval(waking);
      return this.gate.close();
    });
  }
}

/** Milliseconds after which an unrenewed lease has expired and another worker may have the run. */
export const BEYOND_LEASE_MS = HELD_LEASE_MS + 1_500;
