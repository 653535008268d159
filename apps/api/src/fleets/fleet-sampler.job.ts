import { Inject, type OnModuleInit } from '@nestjs/common';
import { FleetHistoryStore, SAMPLE_SECONDS } from '@pilothouse/infra-db';
import { JOB_DEPS } from '../common/injection-tokens.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';

/** Samples after which old ones are removed. */
const SAMPLES_PER_PURGE = 240;

/** Milliseconds for one sample. */
const DEADLINE_MS = 60_000;

/** Samples the load of all fleets. Every replica runs it; the store accepts one sample per interval. */
export class FleetSamplerJob implements OnModuleInit {
  private readonly job: PeriodicJob;
  private samples = 0;

  constructor(
    @Inject(FleetHistoryStore) private readonly history: Pick<FleetHistoryStore, 'sample' | 'purge'>,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    const everyMs = SAMPLE_SECONDS * 1_000;
    this.job = new PeriodicJob(
      { name: 'fleet-samples', everyMs, firstMs: 0, deadlineMs: DEADLINE_MS, run: () => this.sample() },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Resolves when the current sample is written. */
  stop(): Promise<void> {
    return this.job.stop();
  }

  private async sample(): Promise<void> {
    await this.history.sample();
    if (this.samples % SAMPLES_PER_PURGE === 0) await this.history.purge();
    this.samples += 1;
  }
}
