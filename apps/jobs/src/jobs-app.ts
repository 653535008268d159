import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock, type Log } from '@pilothouse/core/ports/runtime.port';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { systemTimers } from '@pilothouse/core/time/timers';
import { createExportDestination, createObjectStore } from '@pilothouse/infra-blob';
import type { JobsConfig } from '@pilothouse/infra-config';
import { createPool, JobLeases, ModelSpendStore, type Pool } from '@pilothouse/infra-db';
import { BackgroundWakeups, RateLimiter } from '@pilothouse/infra-queue';
import { ConfiguredModels, createModelRateLimit } from '@pilothouse/model';
import type { JobHandlers } from './runner/job-handler.ts';
import type { JobDependencies } from './job-dependencies.ts';
import { defaultJobTiming, JobRunner, type JobTiming } from './runner/job-runner.ts';
import { JobsServer } from './jobs-server.ts';
import type { JobsTaskName } from './jobs-tasks.ts';
import { JobsMetrics } from './jobs.metrics.ts';
import { createJobModels } from './models/job-models.ts';
import { KubernetesTrainers } from './tuning/kubernetes-trainers.ts';

/** Connections in addition to one per job: for claims, heartbeats and records of model calls. */
const EXTRA_CONNECTIONS = 4;

/** Milliseconds in which jobs are handed back when the start fails. */
const START_FAILURE_STOP_MS = 5_000;

export interface JobsAppOptions {
  readonly config: JobsConfig;
  readonly createHandlers: (dependencies: JobDependencies) => JobHandlers;
  readonly log: Log;
  /** Default: production intervals. */
  readonly timing?: JobTiming;
}

interface JobsServices {
  readonly pool: Pool;
  readonly runner: JobRunner;
  readonly wakeups: BackgroundWakeups;
  readonly limiter: RateLimiter | null;
  readonly trainers: KubernetesTrainers | null;
}

/** A running job runner: it executes background jobs until it is stopped. */
export class JobsApp {
  readonly #services: JobsServices;
  #server: JobsServer | null = null;

  private constructor(services: JobsServices) {
    this.#services = services;
  }

  /** Opens the stores, listens, and starts to claim jobs. @throws if the object store or the port cannot be used */
  static async start({ config, createHandlers, log, timing = defaultJobTiming }: JobsAppOptions): Promise<JobsApp> {
    const { databaseUrl, concurrency, redisUrl, redisPrefix: prefix, port, host } = config;
    const objects = await createObjectStore(config.objectStore, systemClock);
    const trainers = await KubernetesTrainers.open(config, objects);
    const destinations = new Map(
      Object.entries(config.destinations ?? {}).map(([name, { config: location, ...credentials }]) => [
        name,
        createExportDestination(location, credentials),
      ]),
    );
    const pool = createPool({ databaseUrl, max: concurrency + EXTRA_CONNECTIONS, name: 'jobs', log });
    const metrics = new JobsMetrics();
    const limiter = createLimiter(config, log);
    const owner = `${hostname()}-${process.pid}`;
    const deps = {
      ...{ pool, metrics, log, clock: systemClock, newId: randomUUID },
      monthlySpend: new ModelSpendStore(pool),
      providers: createProviders(config, limiter, log),
      fallback: config.models.fallback,
    };
    const scheduler = new TaskScheduler<JobsTaskName>({ log });
    const runner = new JobRunner({
      ...{ scheduler, concurrency, owner, timing, log, clock: systemClock, timers: systemTimers, random: Math.random },
      leases: new JobLeases(pool),
      handlers: createHandlers({
        ...{
          pool,
          objects,
          endpoints: config.models.endpoints,
          modelEntries: config.models.overrides,
          trainers,
          destinations,
        },
      }),
      models: (job, signal) => createJobModels(job, signal, deps),
      observer: metrics,
      onSlotFree: () => wakeups.onSlotFree(),
    });
    const wakeups = new BackgroundWakeups({
      ...{ redisUrl, prefix, log, token: owner },
      hasFreeSlot: () => runner.hasFreeSlot,
      onWake: () => runner.wake(),
    });
    const app = new JobsApp({ pool, runner, wakeups, limiter, trainers });
    try {
      if (port > 0) app.#server = await JobsServer.listen(port, host, runner, metrics);
    } catch (error) {
      await app.stop(0, START_FAILURE_STOP_MS, new AbortController().signal);
      throw error;
    }
    log.info({ concurrency, port: app.#server?.port }, 'job runner started');
    return app;
  }

  /** Drains: jobs end or are handed back within `softMs`, then they are stopped. `forceStop` stops them at once. */
  async stop(softMs: number, hardMs: number, forceStop: AbortSignal): Promise<void> {
    const { runner, wakeups, limiter, trainers, pool } = this.#services;
    await runner.drain(softMs, hardMs, forceStop);
    await wakeups.close();
    limiter?.close();
    trainers?.close();
    await this.#server?.close();
    await pool.end();
  }
}

/** Connects to Redis only if a limit is configured. */
function createLimiter({ models, redisUrl, redisPrefix: prefix }: JobsConfig, log: Log): RateLimiter | null {
  const limits = [
    models.callsPerMinute,
    ...Object.values(models.endpoints).map((endpoint) => endpoint?.callsPerMinute),
  ];
  return limits.some(Boolean) ? new RateLimiter({ redisUrl, prefix, log }) : null;
}

function createProviders({ models }: JobsConfig, limiter: RateLimiter | null, log: Log): ConfiguredModels {
  const { endpoints, overrides: entries, callsPerMinute: perMinute } = models;
  const clock = systemClock;
  const turn = limiter && createModelRateLimit({ turns: limiter, perMinute, endpoints, clock, log });
  return new ConfiguredModels({ endpoints, entries, clock, random: Math.random, ...(turn && { turn }) });
}
