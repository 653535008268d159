import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool } from '@pilothouse/infra-db';
import {
  ensureDatabase,
  signalProcess,
  startPostgres,
  startRedis,
  type EmbeddedServer,
  type PostgresOptions,
  type RedisOptions,
} from '@pilothouse/infra-embedded';
import { processTree } from '../../harness/process-tree.ts';
import { killIfRunning } from './process-cleanup.ts';
import { silent } from './silent-log.ts';
import { runRedisCommand } from './redis-command.ts';

const password = () => randomBytes(16).toString('hex');

/** PostgreSQL and Redis of one system. Each can be stopped and restarted at the same address. */
export class StoreServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  private readonly settings: { readonly postgres: PostgresOptions; readonly redis: RedisOptions };
  private postgres: EmbeddedServer;
  private redis: EmbeddedServer;

  private constructor(
    databaseUrl: string,
    settings: StoreServers['settings'],
    postgres: EmbeddedServer,
    redis: EmbeddedServer,
  ) {
    this.databaseUrl = databaseUrl;
    this.redisUrl = redis.url;
    this.settings = settings;
    this.postgres = postgres;
    this.redis = redis;
  }

  /** @param dir folder that the user `postgres` can enter */
  static async start(dir: string): Promise<StoreServers> {
    const settings = {
      // Only processes are killed, not the machine: no flush to disk is needed.
      postgres: { dataDir: join(dir, 'postgres'), port: 0, password: password(), isDurable: false, log: () => {} },
      redis: { dir: join(dir, 'redis'), port: 0, password: password(), appendonly: true, log: () => {} },
    };
    const [postgres, redis] = await Promise.all([
      startPostgresWithCommitTimes(settings.postgres),
      startRedis(settings.redis),
    ]);
    const databaseUrl = await ensureDatabase(postgres.url, 'chaos');
    const fixed = {
      postgres: { ...settings.postgres, port: postgres.port },
      redis: { ...settings.redis, port: redis.port },
    };
    return new StoreServers(databaseUrl, fixed, postgres, redis);
  }

  /** Closes every connection and accepts new ones. */
  async restartPostgres(): Promise<void> {
    await this.postgres.stop();
    this.postgres = await startPostgres(this.settings.postgres);
    this.assertSamePort(this.postgres.port === this.settings.postgres.port, 'PostgreSQL');
  }

  /**
   * Kills every PostgreSQL process at once, like a power failure, and restarts it with its data.
   * @param downMs downtime in milliseconds
   */
  async crashPostgres(downMs: number): Promise<void> {
    for (const { pid } of await processTree(this.postgres.identity.pid)) killIfRunning(pid);
    await this.postgres.exited;
    await pause(downMs);
    this.postgres = await startPostgres(this.settings.postgres);
    this.assertSamePort(this.postgres.port === this.settings.postgres.port, 'PostgreSQL');
  }

  flushRedis(): Promise<void> {
    return runRedisCommand(this.redisUrl, 'FLUSHALL');
  }

  /** Kills Redis, so that unsynced data is lost, and restarts it with its file. */
  async restartRedis(): Promise<void> {
    signalProcess(this.redis.identity, 'SIGKILL');
    await this.redis.exited;
    this.redis = await startRedis(this.settings.redis);
    this.assertSamePort(this.redis.port === this.settings.redis.port, 'Redis');
  }

  /** Holds connections open without responses. */
  pauseRedis(): void {
    signalProcess(this.redis.identity, 'SIGSTOP');
  }

  resumeRedis(): void {
    signalProcess(this.redis.identity, 'SIGCONT');
  }

  async stop(): Promise<void> {
    this.resumeRedis();
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }

  private assertSamePort(is: boolean, name: string): void {
    if (!is) throw new Error(`${name} restarted at another port: its own is in use`);
  }
}

/** Starts PostgreSQL with commit timestamps: they decide what was durable before an action. */
async function startPostgresWithCommitTimes(options: PostgresOptions): Promise<EmbeddedServer> {
  const first = await startPostgres(options);
  const pool = createPool({ databaseUrl: first.url, max: 1, name: 'chaos', log: silent });
  await pool.query('ALTER SYSTEM SET track_commit_timestamp = on').finally(() => pool.end());
  await first.stop();
  return startPostgres({ ...options, port: first.port });
}
