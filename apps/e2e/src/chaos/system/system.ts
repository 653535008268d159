import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPool, type Pool } from '@pilothouse/infra-db';
import { searchPath } from '../../harness/servers.fixture.ts';
import type { Site } from '../../harness/demo-site.ts';
import { createWorkFolder } from './work-folder.ts';
import { NetworkGate } from './network-gate.ts';
import type { ChaosWorker } from './worker-process.ts';
import { createCacheJournal } from './cache-journal.ts';
import { ChaosModelServer } from './chaos-model-server.ts';
import { Replica } from './api-replica.ts';
import { StoreServers } from './store-servers.ts';
import { compileCache, LEASE_MS, RENEW_MS, SLOTS, SOLO_SLOTS, type FleetName } from './chaos-settings.ts';
import { silent } from './silent-log.ts';
import { folderStore, s3Store, type S3Server, type Store } from './object-store.ts';

const secret = () => randomBytes(24).toString('hex');

const fleet = (name: FleetName, limits: { minWorkers?: number; maxWorkers: number; slots?: number }) => ({
  name,
  token: `pf_${secret()}`,
  externalWorkers: name !== 'managed',
  slots: SLOTS,
  ...limits,
});

export interface ChaosSystemOptions {
  readonly name: string;
  readonly site: Site;
  /** null: objects are in a folder. */
  readonly s3: S3Server | null;
  /** True: runs may bypass Redis to a free worker. */
  readonly handOver: boolean;
}

/** Components of a running system. */
interface ChaosSystemServices {
  readonly dir: string;
  readonly servers: StoreServers;
  readonly store: Store;
  readonly siteGate: NetworkGate;
  readonly models: ChaosModelServer;
}

/** A complete installation with two replicas and its own servers. Each component can be broken and restored. */
export class ChaosSystem {
  readonly name: string;
  readonly dir: string;
  readonly servers: StoreServers;
  readonly store: Store;
  readonly site: Site;
  /** Address of the site for workers, behind a gate that can be slow. */
  readonly siteGate: NetworkGate;
  /** Model server of its agents. */
  readonly models: ChaosModelServer;
  readonly pool: Pool;
  readonly adminKey = `ph_${secret()}`;
  /** Fleets. The cases start workers of all but `managed`; a controller starts those of `managed`. */
  readonly fleets = [
    fleet('http', { maxWorkers: 0 }),
    fleet('browser', { maxWorkers: 0 }),
    fleet('solo', { maxWorkers: 0, slots: SOLO_SLOTS }),
    fleet('managed', { minWorkers: 2, maxWorkers: 2 }),
  ] as const;
  /** Workers that the next case may reuse. */
  readonly workers = new Set<ChaosWorker>();
  private readonly handOver: boolean;
  private pair: readonly Replica[] = [];

  private constructor(
    { name, site, handOver }: ChaosSystemOptions,
    { dir, servers, store, siteGate, models }: ChaosSystemServices,
  ) {
    this.name = name;
    this.handOver = handOver;
    this.site = site;
    this.dir = dir;
    this.servers = servers;
    this.store = store;
    this.siteGate = siteGate;
    this.models = models;
    const { databaseUrl } = servers;
    this.pool = createPool({ databaseUrl, max: 4, name: 'chaos', log: silent });
  }

  static async start(options: ChaosSystemOptions): Promise<ChaosSystem> {
    const { name, site, s3 } = options;
    const dir = await createWorkFolder(name);
    const [servers, store, siteGate, models] = await Promise.all([
      StoreServers.start(dir),
      s3 ? s3Store(s3, `chaos-${name}-${randomBytes(4).toString('hex')}`) : folderStore(dir),
      NetworkGate.open(() => [Number(new URL(site.url).port)]),
      ChaosModelServer.start(),
    ]);
    const system = new ChaosSystem(options, { dir, servers, store, siteGate, models });
    try {
      const env = system.apiSettings();
      system.pair = [await Replica.make(`${name}-api-0`, env, dir), await Replica.make(`${name}-api-1`, env, dir)];
      // In sequence: the first replica runs the migrations.
      await system.replica(0).start({ migrate: true });
      await createCacheJournal(system.pool);
      await system.replica(1).start();
      return system;
    } catch (error) {
      await system.stop().catch(() => undefined);
      throw error;
    }
  }

  get replicas(): readonly Replica[] {
    return this.pair;
  }

  /** Prefix that is unique among the systems on this machine. */
  get tag(): string {
    return this.dir.slice(-6);
  }

  /** A random replica. */
  replica(index: number): Replica {
    const replica = this.pair[index];
    if (!replica) throw new Error(`There is no replica ${index}`);
    return replica;
  }

  /** Address of the site for workers. */
  get siteUrl(): string {
    return `http://127.0.0.1:${this.siteGate.port}`;
  }

  token(fleetName: FleetName): string {
    const fleet = this.fleets.find(({ name }) => name === fleetName);
    if (!fleet) throw new Error(`There is no fleet ${fleetName}`);
    return fleet.token;
  }

  /** Restores all components of the system. */
  async restore(): Promise<void> {
    this.servers.resumeRedis();
    this.siteGate.mode = 'open';
    await this.store.restore();
    for (const replica of this.replicas) await replica.restore();
  }

  /** Drops output and objects between two cases: a system may run for hours. */
  async forget(runs: readonly string[]): Promise<void> {
    await this.store.forget(runs);
    for (const replica of this.replicas) replica.forget();
    // Unfinished operations are identified by their first messages.
    for (const { isIdle, program } of this.workers) if (isIdle) program.trimOutput(0);
  }

  /**
   * Stops everything, even when a component fails.
   * @throws Error when a component did not stop by itself, or left a process behind
   */
  async stop(): Promise<void> {
    const failed: string[] = [];
    const settle = async (...ends: readonly Promise<unknown>[]) => {
      for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') failed.push(String(end.reason));
    };
    await settle(this.pool.end());
    await settle(...[...this.workers].map((worker) => worker.stop()));
    await settle(...this.replicas.map((replica) => replica.stop()));
    await settle(this.servers.stop());
    await settle(this.siteGate.close(), this.store.close(), this.models.close());
    await settle(rm(this.dir, { recursive: true, force: true }));
    if (failed.length > 0) throw new Error(failed.join('\n'));
  }

  private apiSettings(): Record<string, string> {
    return {
      PATH: searchPath(),
      DATABASE_URL: this.servers.databaseUrl,
      REDIS_URL: this.servers.redisUrl,
      PILOTHOUSE_MASTER_KEY_FILE: join(this.dir, 'master.key'),
      PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: this.adminKey,
      PILOTHOUSE_FLEETS: JSON.stringify(this.fleets),
      PILOTHOUSE_LEASE_MS: String(LEASE_MS),
      PILOTHOUSE_RENEW_MS: String(RENEW_MS),
      PILOTHOUSE_DIRECT_DISPATCH: String(this.handOver),
      LOG_LEVEL: 'info',
      NODE_COMPILE_CACHE: compileCache,
      ...this.store.env,
      ...this.models.env,
    };
  }
}
