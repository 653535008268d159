import type { Log } from '@pilothouse/core';
import {
  tryRetentionLock,
  type AuditStore,
  type IdempotencyStore,
  type Pool,
  type RetentionStore,
  type RetentionLock,
  type SignInAttemptStore,
} from '@pilothouse/infra-db';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';
import { ATTEMPT_WINDOW_SECONDS } from '../auth/sign-in-limiter.ts';
import type { RetentionCleaner } from './retention-cleaner.ts';

export interface RetentionJobDeps {
  pool: Pool;
  retention: RetentionCleaner;
  store: Pick<RetentionStore, 'projects'>;
  idempotency: Pick<IdempotencyStore, 'purge'>;
  audit: Pick<AuditStore, 'purge'>;
  tries: Pick<SignInAttemptStore, 'forget'>;
  /** Days that an entry of the audit log is kept. */
  keepAuditDays: number;
  log: Log;
  jobs: JobDeps;
  /** Milliseconds between two looks at whether a round is due. */
  lookEveryMs: number;
  /** Milliseconds between two rounds, over all replicas. */
  everyMs: number;
  /** Milliseconds that a round may take. */
  roundMs: number;
}

/** Removes, once an hour and in one replica at a time, what projects no longer keep. */
export class RetentionJob {
  private readonly options: RetentionJobDeps;
  private readonly job: PeriodicJob;

  constructor(options: RetentionJobDeps) {
    this.options = options;
    const { lookEveryMs, roundMs, jobs } = options;
    this.job = new PeriodicJob(
      { name: 'retention', everyMs: lookEveryMs, deadlineMs: roundMs, run: (signal) => this.runIfDue(signal) },
      jobs,
    );
  }

  /** Looks for the first time after `lookEveryMs`: a start has better things to do. */
  start(): void {
    this.job.start();
  }

  /** Resolves once the batch at work is done. */
  async stop(): Promise<void> {
    await this.job.stop();
  }

  /** Does work that removes, alone over all replicas; null when somebody else is at it. */
  async withLock<Result>(work: (turn: RetentionLock) => Promise<Result>): Promise<Result | null> {
    const turn = await tryRetentionLock(this.options.pool);
    if (!turn) return null;
    try {
      return await work(turn);
    } finally {
      turn.release();
    }
  }

  private async runIfDue(signal: AbortSignal): Promise<void> {
    await this.withLock(async (turn) => {
      if (await turn.isDue(this.options.everyMs)) await this.round(signal);
    });
  }

  /** One round over all projects. What one of them fails at does not hold up the others; it comes again with the next round. */
  private async round(signal: AbortSignal): Promise<void> {
    const { retention, store, idempotency, audit, tries, keepAuditDays, log } = this.options;
    for (const { id, slug } of await store.projects()) {
      if (signal.aborted) return;
      try {
        const report = await retention.cleanUp(id, signal);
        log.info({ ...report, project: slug }, 'Removed what is no longer kept');
      } catch (error) {
        log.warn({ project: slug, error: String(error) }, 'Retention failed; it is tried again with the next round');
      }
    }
    await idempotency.purge();
    await tries.forget([], ATTEMPT_WINDOW_SECONDS);
    const entries = await audit.purge(keepAuditDays);
    if (entries > 0) log.info({ entries }, 'Removed old entries of the audit log');
  }
}
