import { Inject, type OnModuleInit } from '@nestjs/common';
import type { ScheduledTask } from '@pilothouse/core/time/task-scheduler';
import { FleetHistoryStore, SAMPLE_SECONDS } from '@pilothouse/infra-db';
import { SCHEDULER } from '../common/injection-tokens.ts';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';

/** Samples after which old ones are removed. */
const SAMPLES_PER_PURGE = 240;

/** Milliseconds for one sample. */
const DEADLINE_MS = 60_000;

/** Samples the load of all fleets. Every replica runs it; the store accepts one sample per interval. */
export class FleetSamplerTask implements OnModuleInit {
  private task: ScheduledTask | undefined;
  private samples = 0;

  constructor(
    @Inject(FleetHistoryStore) private readonly history: Pick<FleetHistoryStore, 'sample' | 'purge'>,
    @Inject(SCHEDULER) private readonly scheduler: ReplicaScheduler,
  ) {}

  onModuleInit(): void {
    const everyMs = SAMPLE_SECONDS * 1_000;
    const run = () => this.sample();
    this.task = this.scheduler.start({ name: 'fleet-samples', everyMs, firstMs: 0, deadlineMs: DEADLINE_MS, run });
  }

  /** Resolves when the current sample is written. */
  async stop(): Promise<void> {
    await this.task?.stop();
  }

  private async sample(): Promise<void> {
    await this.history.sample();
    if (this.samples % SAMPLES_PER_PURGE === 0) await this.history.purge();
    this.samples += 1;
  }
}
