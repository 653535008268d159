import { Inject } from '@nestjs/common';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { measureRun, type Saving } from '@pilothouse/core/savings/run-measurement';
import { RepeatedGoalStore, UnmeasuredRunStore } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { LOG, METRICS } from '../common/injection-tokens.ts';
import { declareSavingsMetrics } from './savings.metrics.ts';

/** Measures what completed runs saved, and records compilations. */
export class RunMeasurementsService {
  private readonly count: (savings: readonly Saving[]) => void;

  constructor(
    @Inject(UnmeasuredRunStore) private readonly runs: Pick<UnmeasuredRunStore, 'measureEnded' | 'measureRun'>,
    @Inject(RepeatedGoalStore) private readonly goals: Pick<RepeatedGoalStore, 'recordCompilation'>,
    @Inject(METRICS) metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.count = declareSavingsMetrics(metrics);
  }

  /** Measures all ended runs that are not measured yet. @param signal ends it after the current batch */
  async measureEnded(signal: AbortSignal): Promise<void> {
    await this.runs.measureEnded(measureRun, {
      signal,
      onSavings: this.count,
      onFailure: (run, error) => this.log.warn({ run, error: String(error) }, 'run not measured'),
    });
  }

  /** Records that a workflow version was compiled from a completed run. A failure is logged: the version exists without a baseline. */
  async recordCompilation(run: string, workflow: string, version: number): Promise<void> {
    try {
      this.count(await this.runs.measureRun(measureRun, run));
      await this.goals.recordCompilation(run, workflow, version);
    } catch (error) {
      this.log.warn({ run, workflow, version, error: String(error) }, 'compilation not recorded');
    }
  }
}
