import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis, type EmbeddedServer } from '@pilothouse/infra-embedded';
import { createPool, JobLeases, JobStore, type NewJob, type Pool } from '@pilothouse/infra-db';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { COUNTING_TABLES } from './counting-handler.ts';

/** A job runner process of a spec. */
export interface JobsProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  output(): string;
  /** Sends a signal and waits for the end. @returns exit code and signal */
  end(signal: NodeJS.Signals): Promise<unknown[]>;
}

/** Database, Redis and job runner processes of a spec. */
export class JobsHarness {
  readonly pool: Pool;
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly project = crypto.randomUUID();
  redis: EmbeddedServer;
  readonly #database: TestDatabase;
  readonly #dir: string;
  readonly #processes: JobsProcess[] = [];

  private constructor(database: TestDatabase, redis: EmbeddedServer, dir: string) {
    this.#database = database;
    this.#dir = dir;
    this.redis = redis;
    this.pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    this.jobs = new JobStore(this.pool);
    this.leases = new JobLeases(this.pool);
  }

  static async open(): Promise<JobsHarness> {
    const dir = await mkdtemp(join(tmpdir(), 'jobs-spec-'));
    const redis = await startRedisIn(dir, 0);
    const harness = new JobsHarness(await createDatabase(), redis, dir);
    await harness.pool.query(COUNTING_TABLES);
    await harness.pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [
      harness.project,
    ]);
    return harness;
  }

  /** Starts a job runner and waits until it claims jobs. */
  async start(environment: NodeJS.ProcessEnv = {}): Promise<JobsProcess> {
    const entry = join(import.meta.dirname, 'spec-jobs.fixture.ts');
    const child = spawn(process.execPath, ['--experimental-transform-types', '--no-warnings', entry], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: this.#database.url,
        REDIS_URL: this.redis.url,
        OBJECT_STORE_DIR: join(this.#dir, 'objects'),
        PILOTHOUSE_JOBS_CONCURRENCY: '1',
        ...environment,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const closed = once(child, 'close');
    const jobRunner: JobsProcess = {
      child,
      pid: child.pid ?? 0,
      output: () => output,
      end: async (signal) => {
        child.kill(signal);
        return closed;
      },
    };
    this.#processes.push(jobRunner);
    await until('the job runner starts', () => output.includes('job runner started') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(output);
    return jobRunner;
  }

  /** Creates a job of the counting handler. @returns its id */
  async addJob(params: { rows: number; asks?: boolean; failures?: number }, fields: Partial<NewJob> = {}) {
    const { id } = await this.jobs.insert({
      ...{ id: crypto.randomUUID(), project: this.project, kind: 'score', params },
      ...fields,
    });
    return id;
  }

  /** Lets jobs write rows with a lower number. */
  async openGate(count: number): Promise<void> {
    await this.pool.query('UPDATE spec_gate SET open = $1', [count]);
  }

  /** Rows of a job in the order of their numbers. */
  async rows(job: string): Promise<{ number: number; pid: number }[]> {
    return (await this.pool.query('SELECT number, pid FROM spec_row WHERE job = $1 ORDER BY number', [job])).rows;
  }

  async job(id: string) {
    const job = await this.jobs.read(this.project, id);
    if (!job) throw new Error(`No job ${id}`);
    return job;
  }

  untilRows = (job: string, count: number) =>
    until(`the job writes ${count} rows`, async () => (await this.rows(job)).length === count);

  untilStatus = (id: string, status: string) =>
    until(`the job is ${status}`, async () => {
      const job = await this.job(id);
      return job.status === status && job;
    });

  /** Ends the job runners and removes all jobs. */
  async reset(): Promise<void> {
    for (const { child, end } of this.#processes.splice(0)) if (child.exitCode === null) await end('SIGKILL');
    await this.pool.query('DELETE FROM job');
    await this.pool.query('DELETE FROM spec_row');
    await this.pool.query(`UPDATE project SET budgets = NULL, models = NULL`);
    await this.openGate(0);
  }

  async stopRedis(): Promise<void> {
    await this.redis.stop();
  }

  async restartRedis(): Promise<void> {
    this.redis = await startRedisIn(this.#dir, this.redis.port);
  }

  async close(): Promise<void> {
    await this.reset();
    await this.pool.end();
    await this.redis.stop();
    await this.#database.drop();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

const startRedisIn = (dir: string, port: number) =>
  startRedis({ dir: join(dir, 'redis'), port, password: 'spec', appendonly: false, log: () => undefined });
