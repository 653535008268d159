import { Inject, type OnModuleInit } from '@nestjs/common';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { ScoreRequestStore } from '@pilothouse/infra-db';
import { LearningQueue } from '@pilothouse/infra-queue';
import { JOB_DEPS, LOG } from '../common/injection-tokens.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';

/** Milliseconds between two checks for finished runs. */
const CHECK_INTERVAL_MS = 2_000;

/** Milliseconds for one check with all the runs it finds. */
const DEADLINE_MS = 120_000;

/** Creates a trace and a job for each finished run with recorded turns. All replicas do so: a run is requested once. */
export class ScoreRequestsJob implements OnModuleInit {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(ScoreRequestStore) private readonly requests: Pick<ScoreRequestStore, 'requestScores'>,
    @Inject(LearningQueue) private readonly queue: Pick<LearningQueue, 'wake'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    this.job = new PeriodicJob(
      {
        name: 'score-requests',
        everyMs: CHECK_INTERVAL_MS,
        deadlineMs: DEADLINE_MS,
        run: (signal) => this.request(signal),
      },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Resolves when the current batch is written. */
  stop(): Promise<void> {
    return this.job.stop();
  }

  private async request(signal: AbortSignal): Promise<void> {
    const jobs = await this.requests.requestScores(SCORE_VERSION, signal);
    if (jobs.length === 0) return;
    this.log.info({ jobs: jobs.length }, 'scores requested');
    await this.queue.wake(jobs);
  }
}
