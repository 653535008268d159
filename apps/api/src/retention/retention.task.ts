import type { OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { ScheduledTask } from '@pilothouse/core/time/task-scheduler';
import {
  tryRetentionLock,
  type AuditStore,
  type IdempotencyStore,
  type JobStore,
  type Pool,
  type RetentionStore,
  type RetentionLock,
  type SignInAttemptStore,
} from '@pilothouse/infra-db';
import { ATTEMPT_WINDOW_SECONDS } from '../auth/sign-in-limiter.ts';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';
import type { RetentionCleaner } from './retention-cleaner.ts';

export interface RetentionTaskDeps {
  pool: Pool;
  cleaner: RetentionCleaner;
  store: Pick<RetentionStore, 'projects'>;
  idempotency: Pick<IdempotencyStore, 'purge'>;
  audit: Pick<AuditStore, 'purge'>;
  signInAttempts: Pick<SignInAttemptStore, 'purge'>;
  /** Days that an entry stays in the audit log. */
  auditRetentionDays: number;
  jobs: Pick<JobStore, 'purge'>;
  /** Days that a background job stays after its end. */
  jobRetentionDays: number;
  /** Seals secrets of projects under a new master key. Returns their number. */
  resealSecrets(): Promise<number>;
  log: Log;
  scheduler: ReplicaScheduler;
  /** Milliseconds between two checks whether a cleanup is due. */
  checkEveryMs: number;
  /** Milliseconds between two cleanups, over all replicas. */
  everyMs: number;
  /** Milliseconds for one cleanup. */
  deadlineMs: number;
}

/** Removes expired data of all projects once an hour, in one replica at a time. */
export class RetentionTask implements OnModuleInit {
  private readonly deps: RetentionTaskDeps;
  private task: ScheduledTask | undefined;

  constructor(deps: RetentionTaskDeps) {
    this.deps = deps;
  }

  onModuleInit(): void {
    this.start();
  }

  /** Checks for the first time after `checkEveryMs`, so that a start is not slowed down. */
  start(): void {
    const { scheduler, checkEveryMs, deadlineMs } = this.deps;
    const run = (signal: AbortSignal) => this.runIfDue(signal);
    this.task = scheduler.start({ name: 'retention', everyMs: checkEveryMs, deadlineMs, run });
  }

  /** Resolves when the current batch is removed. */
  async stop(): Promise<void> {
    await this.task?.stop();
  }

  /** Runs a cleanup alone over all replicas. Returns null while another one runs. */
  async withLock<Result>(work: (lock: RetentionLock) => Promise<Result>): Promise<Result | null> {
    const lock = await tryRetentionLock(this.deps.pool);
    if (!lock) return null;
    try {
      return await work(lock);
    } finally {
      await lock.release();
    }
  }

  private async runIfDue(signal: AbortSignal): Promise<void> {
    await this.withLock(async (lock) => {
      if (await lock.isDue(this.deps.everyMs)) await this.cleanUpAll(signal);
    });
  }

  /** Stored values follow a new master key within an interval. A value of an unknown key does not stop the cleanup. */
  private async resealSecrets(): Promise<void> {
    const { resealSecrets, log } = this.deps;
    try {
      const secrets = await resealSecrets();
      if (secrets > 0) log.info({ secrets }, 'secrets sealed under the new master key');
    } catch (error) {
      log.warn({ error: String(error) }, 'secrets not sealed again, next attempt after the interval');
    }
  }

  /** Cleans up all projects. A project that fails does not hold up the others; the next run retries it. */
  private async cleanUpAll(signal: AbortSignal): Promise<void> {
    const { cleaner, store, idempotency, audit, signInAttempts, auditRetentionDays, jobs, jobRetentionDays, log } =
      this.deps;
    await this.resealSecrets();
    for (const { id, slug } of await store.projects()) {
      if (signal.aborted) return;
      try {
        const report = await cleaner.cleanUp(id, signal);
        log.info({ ...report, project: slug }, 'expired data deleted');
      } catch (error) {
        log.warn({ project: slug, error: String(error) }, 'retention failed, next attempt after its interval');
      }
    }
    await idempotency.purge();
    await signInAttempts.purge(ATTEMPT_WINDOW_SECONDS);
    const entries = await audit.purge(auditRetentionDays);
    if (entries > 0) log.info({ entries }, 'expired audit entries deleted');
    const jobCount = await jobs.purge(jobRetentionDays);
    if (jobCount > 0) log.info({ jobs: jobCount }, 'expired background jobs deleted');
  }
}
