import { Inject } from '@nestjs/common';
import type { JobCondition } from '@pilothouse/contract/job/job.schema';
import { type BackgroundQueueStats, type Pool, readBackgroundQueueStats } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import { CachedRead } from '../metrics/cached-read.ts';

/** Seconds within which an idle job runner takes a due job: it polls every 15 s. */
const MAX_CLAIM_SECONDS = 30;

/** Milliseconds for which the answer is cached. */
const CACHE_MS = 2_000;

/** Tells why due jobs do not start. Job runners are not registered: none runs if a due job has waited for long and no job is running. */
export class JobRunnerWatch {
  private readonly stats: CachedRead<readonly BackgroundQueueStats[]>;

  constructor(@Inject(POOL) pool: Pool) {
    this.stats = new CachedRead((timeoutMs) => readBackgroundQueueStats(pool, timeoutMs), CACHE_MS);
  }

  /** Returns the condition of all due jobs; undefined: a job runner executes jobs, or no job has waited for long. */
  async condition(): Promise<JobCondition | undefined> {
    const stats = (await this.stats.read()) ?? [];
    const waitedSeconds = Math.max(0, ...stats.map(({ oldestSeconds }) => oldestSeconds));
    if (waitedSeconds < MAX_CLAIM_SECONDS || stats.some(({ running }) => running > 0)) return undefined;
    const message = `No job runner runs: the oldest job has waited for ${Math.round(waitedSeconds)} s. Start one (Kubernetes: set jobs.enabled, and jobs.replicas above 0). The job is kept.`;
    return { reason: 'NoJobRunner', message };
  }
}
