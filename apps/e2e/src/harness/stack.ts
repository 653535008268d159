import { createHash, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startRedis, type EmbeddedServer } from '@pilothouse/infra-embedded';
import { bundleOf } from './bundles.ts';
import { Client } from './stack-client.ts';
import { CONSOLE_TOKEN } from './console-process.ts';
import { createStackDatabase, type StackDatabase } from './stack-database.ts';
import { Program } from './child-program.ts';
import { databaseServer, baseEnvironment } from './servers.fixture.ts';
import { Site } from './demo-site.ts';

export interface StackOptions {
  /** Additional settings of the API and of job runners. */
  readonly api?: Readonly<Record<string, string>>;
  /** Number of workers at the start (default 1). */
  readonly workers?: number;
  /** The API applies all migrations when it starts (default: the database has them already, which is faster). */
  readonly isDatabaseEmpty?: boolean;
}

export interface StackSecrets {
  readonly adminKey: string;
  readonly fleetToken: string;
  readonly redisPassword: string;
}

/** Slots of each worker of the stack. */
export const SLOTS = 4;

const secret = (bytes = 24) => randomBytes(bytes).toString('hex');

/**
 * The shipped product as processes: API, workers and the demo site, with their own database, Redis and folder.
 * A spec starts it, uses `client`, and stops it, which also checks that no process remains.
 */
export class Stack {
  readonly dir: string;
  readonly secrets: StackSecrets;
  readonly database: StackDatabase;
  readonly redis: EmbeddedServer;
  readonly site: Site;
  readonly workers: Program[] = [];
  readonly jobRunners: Program[] = [];
  readonly #options: StackOptions;
  /** Replicas of the API besides the first. */
  readonly replicas: Program[] = [];
  #api: Program | undefined;
  #client: Client | undefined;
  #workerCount = 0;

  private constructor(
    options: StackOptions,
    services: { dir: string; secrets: StackSecrets; database: StackDatabase; redis: EmbeddedServer; site: Site },
  ) {
    this.#options = options;
    this.dir = services.dir;
    this.secrets = services.secrets;
    this.database = services.database;
    this.redis = services.redis;
    this.site = services.site;
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    const bundle = await bundleOf('site');
    const dir = await mkdtemp(join(tmpdir(), 'pilothouse-e2e-'));
    const secrets = { adminKey: `ph_${secret()}`, fleetToken: `pf_${secret()}`, redisPassword: secret() };
    const [database, redis, site] = await Promise.all([
      createStackDatabase(databaseServer(), options.isDatabaseEmpty),
      // The append-only file contains every write, so transient secrets are found too.
      startRedis({
        dir: join(dir, 'redis'),
        port: 0,
        password: secrets.redisPassword,
        appendonly: true,
        log: () => {},
      }),
      Site.start(bundle),
    ]);
    const stack = new Stack(options, { dir, secrets, database, redis, site });
    try {
      await stack.startApi();
      await Promise.all(Array.from({ length: options.workers ?? 1 }, () => stack.addWorker()));
      return stack;
    } catch (error) {
      await stack.stop().catch(() => undefined);
      throw error;
    }
  }

  get api(): Program {
    if (!this.#api) throw new Error('The API is not running');
    return this.#api;
  }

  /** The API with the admin's key. */
  get client(): Client {
    if (!this.#client) throw new Error('The API is not running');
    return this.#client;
  }

  get objects(): string {
    return join(this.dir, 'objects');
  }

  async startApi(): Promise<void> {
    const { program, url } = await this.#apiProgram('api');
    this.#api = program;
    this.#client = new Client(url, this.secrets.adminKey);
  }

  /** Starts another replica of the API on the same stores. @returns its URL */
  async addReplica(): Promise<string> {
    const { program, url } = await this.#apiProgram(`api-${this.replicas.length + 2}`);
    this.replicas.push(program);
    return url;
  }

  async #apiProgram(name: string): Promise<{ program: Program; url: string }> {
    const port = await findFreePort(0);
    const url = `http://127.0.0.1:${port}`;
    const program = await Program.start({
      name,
      args: [await bundleOf('api')],
      env: {
        ...baseEnvironment(),
        DATABASE_URL: this.database.url,
        REDIS_URL: this.redis.url,
        PILOTHOUSE_PORT: String(port),
        PILOTHOUSE_MIGRATE_ON_START: 'true',
        PILOTHOUSE_MASTER_KEY_FILE: join(this.dir, 'master.key'),
        PILOTHOUSE_CONSOLE_TOKEN: CONSOLE_TOKEN,
        PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: this.secrets.adminKey,
        PILOTHOUSE_FLEETS: JSON.stringify([
          {
            ...{ name: 'browsers', token: this.secrets.fleetToken, externalWorkers: true },
            ...{ slots: SLOTS, maxWorkers: 10, idleSlots: 0 },
          },
        ]),
        OBJECT_STORE_DIR: this.objects,
        LOG_LEVEL: 'debug',
        ...this.#options.api,
      },
    });
    await program.ready('it is ready', () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200 || undefined,
        () => undefined,
      ),
    );
    return { program, url };
  }

  /**
   * Starts a worker with only the gateway URL and its token, and waits until the gateway accepts it.
   * @param env additional settings of the worker
   */
  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const name = `worker-${++this.#workerCount}`;
    const worker = await this.startWorker(name, {
      ...baseEnvironment(),
      ...this.workerSettings(),
      PILOTHOUSE_WORKER_NAME: name,
      PILOTHOUSE_SLOTS: String(SLOTS),
      // A spec that ends with active runs does not wait for them.
      PILOTHOUSE_DRAIN_GRACE_SECONDS: '2',
      LOG_LEVEL: 'debug',
      ...env,
    });
    await worker.ready(
      'its gateway session is open',
      () => worker.lines.some((line) => line.includes('gateway session opened')) || undefined,
    );
    return worker;
  }

  /** Starts a job runner with the stores and models of the API, and waits until it claims jobs. */
  async addJobRunner(): Promise<Program> {
    const jobRunner = await Program.start({
      name: `jobs-${this.jobRunners.length + 1}`,
      args: [await bundleOf('jobs')],
      env: {
        ...baseEnvironment(),
        DATABASE_URL: this.database.url,
        REDIS_URL: this.redis.url,
        OBJECT_STORE_DIR: this.objects,
        LOG_LEVEL: 'debug',
        ...this.#options.api,
      },
    });
    this.jobRunners.push(jobRunner);
    await jobRunner.ready(
      'it claims jobs',
      () => jobRunner.lines.some((line) => line.includes('job runner started')) || undefined,
    );
    return jobRunner;
  }

  /** Starts another replica of the API, with its own worker. */
  async addReplicaWithWorker(): Promise<Program> {
    const url = await this.addReplica();
    return this.addWorker({ PILOTHOUSE_GATEWAY_URL: `${url.replace(/^http/, 'ws')}/v1/gateway` });
  }

  /** Kills the worker that holds a run. */
  async killWorkerOf(run: string): Promise<void> {
    const { worker: name } = await this.client.run(run);
    const worker = this.workers.find((program) => program.name === name);
    if (!worker) throw new Error(`No worker has the run ${run}`);
    await worker.kill();
  }

  /** Starts a worker in exactly this environment. */
  async startWorker(name: string, env: Readonly<Record<string, string>>): Promise<Program> {
    const worker = await Program.start({ name, args: [await bundleOf('worker')], env });
    this.workers.push(worker);
    return worker;
  }

  /** Writes a fleet token to a file of this stack. @returns the settings of a worker that uses it */
  workerToken(token: string): Record<string, string> {
    const file = join(this.dir, `token-${createHash('sha256').update(token).digest('hex').slice(0, 8)}`);
    writeFileSync(file, token, { mode: 0o600 });
    return { PILOTHOUSE_FLEET_TOKEN_FILE: file };
  }

  /** Required settings of a worker of this stack. */
  workerSettings(): Record<string, string> {
    return {
      PILOTHOUSE_GATEWAY_URL: `${this.client.url.replace(/^http/, 'ws')}/v1/gateway`,
      ...this.workerToken(this.secrets.fleetToken),
      // The demo site is on this machine.
      PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'private',
    };
  }

  /** All data that the stack stored, by location, to search for secrets. */
  async dumpStoredData(): Promise<Record<string, string>> {
    const programs = [this.api, ...this.workers, ...this.jobRunners];
    return {
      database: await this.database.dump(),
      redis: await readFolder(join(this.dir, 'redis')),
      objects: await readFolder(this.objects),
      ...Object.fromEntries(programs.map(({ name, lines }) => [`log of ${name}`, lines.join('\n')])),
    };
  }

  /** Stops everything. @throws Error when a component did not stop by itself or left a process */
  async stop(): Promise<void> {
    // Workers first, so that the API has nothing to wait for.
    const results = [
      ...(await Promise.allSettled([...this.workers, ...this.jobRunners].map((program) => program.stop()))),
      ...(await Promise.allSettled([this.#api, ...this.replicas, this.site.program].map((program) => program?.stop()))),
    ];
    await this.redis.stop();
    await this.database.drop();
    await rm(this.dir, { recursive: true, force: true });
    const failed = results.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    if (failed.length > 0) throw new Error(failed.join('\n'));
  }
}

/** All bytes of all files below a folder, byte for character; empty: there is no such folder. */
async function readFolder(folder: string): Promise<string> {
  if (!existsSync(folder)) return '';
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
  return texts.join('\n');
}
