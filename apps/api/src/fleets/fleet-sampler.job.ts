import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { FleetHistoryStore, SAMPLE_SECONDS } from '@pilothouse/infra-db';
import { closeWithin, JOB_STOP_MS } from '../common/shutdown.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';
import { JOB_DEPS } from '../common/injection-tokens.ts';

/** Samples after which old ones are removed. */
const SAMPLES_PER_PURGE = 240;

/** Milliseconds for one sample. */
const DEADLINE_MS = 60_000;

/** Writes down every few seconds how fleets stand. All replicas look, and one of them writes. */
export class FleetSamplerJob implements OnModuleInit, OnModuleDestroy {
  private readonly job: PeriodicJob;
  private samples = 0;

  constructor(
    @Inject(FleetHistoryStore) private readonly history: Pick<FleetHistoryStore, 'sample' | 'purge'>,
    @Inject(JOB_DEPS) private readonly deps: JobDeps,
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

  /** Resolves once the current sample is written, or takes too long. */
  async onModuleDestroy(): Promise<void> {
    await closeWithin('the samples of fleets', this.job.stop(), JOB_STOP_MS, this.deps.log);
  }

  private async sample(): Promise<void> {
    await this.history.sample();
    if (this.samples % SAMPLES_PER_PURGE === 0) await this.history.purge();
    this.samples += 1;
  }
}
