import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerNodeOptions } from '@pilothouse/infra-config';
import {
  ensureDatabase,
  findFreePort,
  startPostgres,
  startRedis,
  type EmbeddedServer,
} from '@pilothouse/infra-embedded';
import pg from 'pg';
import { Client } from '../../apps/e2e/src/harness/stack-client.ts';
import { searchPath } from '../../apps/e2e/src/harness/servers.fixture.ts';
import { treeOf } from './process-memory.ts';
import { Program } from './bench-process.ts';

export interface BenchInstallationOptions {
  /** Folder with the bundles. */
  readonly dist: string;
  /** PostgreSQL server for new databases; default: one is started. */
  readonly database?: string;
  /** Slots of each worker. */
  readonly slots?: number;
  /** Maximum number of workers of the controller (default 10). */
  readonly max?: number;
  /** Settings of the API besides those of the installation. */
  readonly api?: Readonly<Record<string, string>>;
  /** Arguments of Node for the API and the workers, e.g. a profiler. */
  readonly node?: readonly string[];
}

const isReady = (url: string) =>
  fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  );

const secret = () => randomBytes(24).toString('hex');

/** The shipped product on its own database, Redis and folder. */
export class BenchInstallation {
  readonly dir: string;
  readonly redis: EmbeddedServer;
  /** Connection for measurements and load. */
  readonly pool: pg.Pool;
  readonly workers: Program[] = [];
  client = new Client('', '');
  api: Program | undefined;
  #port = 0;
  #site: { program: Program; url: string } | undefined;
  #console: { program: Program; url: string } | undefined;
  readonly #options: BenchInstallationOptions;
  readonly #server: EmbeddedServer | undefined;
  readonly #serverUrl: string;
  readonly #databaseUrl: string;
  readonly #adminKey = `ph_${secret()}`;
  readonly #fleetToken = `pf_${secret()}`;
  #nameCount = 0;

  private constructor(
    options: BenchInstallationOptions,
    services: {
      dir: string;
      redis: EmbeddedServer;
      server: EmbeddedServer | undefined;
      serverUrl: string;
      databaseUrl: string;
    },
  ) {
    this.#options = options;
    this.dir = services.dir;
    this.redis = services.redis;
    this.#server = services.server;
    this.#serverUrl = services.serverUrl;
    this.#databaseUrl = services.databaseUrl;
    this.pool = new pg.Pool({ connectionString: services.databaseUrl, max: 4 });
    this.pool.on('error', () => undefined);
  }

  /** Starts the servers and the API, without workers. */
  static async start(options: BenchInstallationOptions): Promise<BenchInstallation> {
    const dir = await mkdtemp(join(tmpdir(), 'pilothouse-bench-'));
    // PostgreSQL does not run as root and needs access.
    await chmod(dir, 0o755);
    const log = () => undefined;
    const server = options.database
      ? undefined
      : await startPostgres({ dataDir: join(dir, 'postgres'), port: 0, password: secret(), log });
    const serverUrl = options.database ?? server?.url ?? '';
    const redis = await startRedis({ dir: join(dir, 'redis'), port: 0, password: secret(), appendonly: true, log });
    const databaseUrl = await ensureDatabase(serverUrl, `bench_${randomBytes(6).toString('hex')}`);
    const installation = new BenchInstallation(options, { dir, redis, server, serverUrl, databaseUrl });
    try {
      await installation.#startApi();
      return installation;
    } catch (error) {
      await installation.stop();
      throw error;
    }
  }

  get url(): string {
    return this.client.url;
  }

  /** Starts the demo site on first use. */
  async site(): Promise<string> {
    if (this.#site) return this.#site.url;
    const program = await Program.start({
      name: 'site',
      args: [join(this.#options.dist, 'site/main.js'), '--port', '0'],
      env: {},
      logFile: join(this.dir, 'site.log'),
    });
    let url = '';
    await program.ready('it prints its address', async () => {
      url = /open at (http\S+)/.exec(await program.log())?.[1] ?? '';
      return url !== '';
    });
    this.#site = { program, url };
    return url;
  }

  /** Starts the console on first use. */
  async console(): Promise<string> {
    if (this.#console) return this.#console.url;
    const port = await findFreePort(0);
    const url = `http://127.0.0.1:${port}`;
    const program = await Program.start({
      name: 'console',
      args: [join(this.#options.dist, 'console/main.js')],
      env: { PATH: searchPath(), PILOTHOUSE_API_URL: this.url, PILOTHOUSE_CONSOLE_PORT: String(port) },
      logFile: join(this.dir, 'console.log'),
    });
    this.#console = { program, url };
    await program.ready('it is ready', () => isReady(`${url}/healthz`));
    return url;
  }

  /** Starts a worker and waits until the gateway knows it. */
  async addWorker(slots: number, env: Readonly<Record<string, string>> = {}): Promise<Program> {
    this.#nameCount += 1;
    const name = `worker-${this.#nameCount}`;
    const worker = await Program.start({
      name,
      args: [...(this.#options.node ?? []), join(this.#options.dist, 'worker/main.js')],
      env: {
        PATH: searchPath(),
        PILOTHOUSE_GATEWAY_URL: `${this.url.replace(/^http/, 'ws')}/v1/gateway`,
        PILOTHOUSE_FLEET_TOKEN_FILE: await this.#tokenFile(),
        PILOTHOUSE_WORKER_NAME: name,
        PILOTHOUSE_WORKER_DATA_DIR: join(this.dir, 'workers'),
        PILOTHOUSE_SLOTS: String(slots),
        PILOTHOUSE_DRAIN_GRACE_SECONDS: '1',
        PILOTHOUSE_HEADLESS: 'true',
        PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'private',
        ...workerNodeOptions(slots),
        ...env,
      },
      logFile: join(this.dir, `${name}.log`),
    });
    this.workers.push(worker);
    await worker.ready('its gateway session is open', async () =>
      (await worker.log()).includes('gateway session opened'),
    );
    return worker;
  }

  /** Starts a process with this number of workers with null surfaces. They connect gradually. */
  async addLoadGenerator(count: number, slots = 1): Promise<Program> {
    const loadGenerator = await Program.start({
      name: 'load-generator',
      args: [join(this.#options.dist, 'load-generator/main.js'), String(count)],
      env: {
        PILOTHOUSE_GATEWAY_URL: `${this.url.replace(/^http/, 'ws')}/v1/gateway`,
        PILOTHOUSE_FLEET_TOKEN_FILE: await this.#tokenFile(),
        PILOTHOUSE_WORKER_DATA_DIR: join(this.dir, 'load-generator'),
        PILOTHOUSE_SLOTS: String(slots),
        PILOTHOUSE_DRAIN_GRACE_SECONDS: '1',
        LOG_LEVEL: 'warn',
      },
      logFile: join(this.dir, 'load-generator.log'),
    });
    this.workers.push(loadGenerator);
    return loadGenerator;
  }

  /** Starts a controller for the fleet, which may not start workers. */
  async addController(): Promise<Program> {
    const port = await findFreePort(0);
    const controller = await Program.start({
      name: 'controller',
      args: [join(this.#options.dist, 'fleet/main.js')],
      env: {
        PATH: searchPath(),
        DATABASE_URL: this.#databaseUrl,
        PILOTHOUSE_GATEWAY_URL: `${this.url.replace(/^http/, 'ws')}/v1/gateway`,
        PILOTHOUSE_WORKER_COMMAND: JSON.stringify([process.execPath, join(this.#options.dist, 'worker/main.js')]),
        PILOTHOUSE_DATA_DIR: join(this.dir, 'controller'),
        PILOTHOUSE_FLEET_PORT: String(port),
      },
      logFile: join(this.dir, 'controller.log'),
    });
    this.workers.push(controller);
    await controller.ready('it leads', async () => (await controller.log()).includes('leadership acquired'));
    return controller;
  }

  /** Environment of a job runner, without models. */
  jobRunnerEnvironment(): Record<string, string> {
    return {
      PATH: searchPath(),
      DATABASE_URL: this.#databaseUrl,
      REDIS_URL: this.redis.url,
      OBJECT_STORE_DIR: join(this.dir, 'objects'),
    };
  }

  /** Starts a job runner. @param env settings of models */
  async addJobRunner(env: Readonly<Record<string, string>>): Promise<Program> {
    const port = await findFreePort(0);
    const jobRunner = await Program.start({
      name: 'jobs',
      args: [join(this.#options.dist, 'jobs/main.js')],
      env: { ...this.jobRunnerEnvironment(), PILOTHOUSE_JOBS_PORT: String(port), ...env },
      logFile: join(this.dir, 'jobs.log'),
    });
    this.workers.push(jobRunner);
    await jobRunner.ready('it is ready', () => isReady(`http://127.0.0.1:${port}/healthz`));
    return jobRunner;
  }

  /** Processes of the API, workers, Redis, and a bundled PostgreSQL. */
  pids(): number[] {
    const mains = [this.api, ...this.workers].flatMap((program) => (program?.isRunning ? [program.pid] : []));
    return treeOf([...mains, this.redis.identity.pid, ...(this.#server ? [this.#server.identity.pid] : [])]);
  }

  /** Rows of a query. */
  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, values);
    return rows;
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await Promise.all([this.#console?.program.stop(), this.api?.stop(), this.#site?.program.stop()]);
    await this.pool.end();
    await this.redis.stop();
    if (this.#server) await this.#server.stop();
    else await this.#dropDatabase();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Kills the API and restarts it at the same address. @returns time of the kill, by `performance.now` */
  async killApi(): Promise<number> {
    await this.api?.kill();
    const killed = performance.now();
    await this.#startApi();
    return killed;
  }

  async #tokenFile(): Promise<string> {
    const file = join(this.dir, 'fleet.token');
    await writeFile(file, this.#fleetToken, { mode: 0o600 });
    return file;
  }

  async #startApi(): Promise<void> {
    const { dist, slots = 100, max = 10, api, node = [] } = this.#options;
    this.#port ||= await findFreePort(0);
    const url = `http://127.0.0.1:${this.#port}`;
    const fleet = {
      ...{ name: 'browsers', token: this.#fleetToken, externalWorkers: true },
      ...{ slots, maxWorkers: max, idleSlots: 0 },
    };
    this.api = await Program.start({
      name: 'api',
      args: [...node, join(dist, 'api/main.js')],
      env: {
        PATH: searchPath(),
        DATABASE_URL: this.#databaseUrl,
        REDIS_URL: this.redis.url,
        PILOTHOUSE_PORT: String(this.#port),
        PILOTHOUSE_MIGRATE_ON_START: 'true',
        PILOTHOUSE_MASTER_KEY_FILE: join(this.dir, 'master.key'),
        PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: this.#adminKey,
        PILOTHOUSE_FLEETS: JSON.stringify([fleet]),
        OBJECT_STORE_DIR: join(this.dir, 'objects'),
        ...api,
      },
      logFile: join(this.dir, 'api.log'),
    });
    await this.api.ready('it is ready', () => isReady(`${url}/readyz`));
    this.client = new Client(url, this.#adminKey);
  }

  async #dropDatabase(): Promise<void> {
    const name = new URL(this.#databaseUrl).pathname.slice(1);
    const client = new pg.Client({ connectionString: this.#serverUrl });
    await client.connect();
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}
