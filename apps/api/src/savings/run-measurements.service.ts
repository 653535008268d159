import { Inject } from '@nestjs/common';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { measureRun, type Saving } from '@pilothouse/core/savings/run-measurement';
import { RepeatedGoalStore, RunMeasurementStore } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { LOG, METRICS } from '../common/injection-tokens.ts';
import { declareSavingsMetrics } from './savings.metrics.ts';

/** Measures what completed runs saved, and records compilations. */
export class RunMeasurementsService {
  private readonly count: (savings: readonly Saving[]) => void;

  constructor(
    @Inject(RunMeasurementStore) private readonly runs: Pick<RunMeasurementStore, 'measure'>,
    @Inject(RepeatedGoalStore) private readonly goals: Pick<RepeatedGoalStore, 'recordCompilation'>,
    @Inject(METRICS) metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.count = declareSavingsMetrics(metrics);
  }

  /** Measures a completed run, unless it is measured. */
  async measure(run: string): Promise<void> {
    this.count(await this.runs.measure(measureRun, run));
  }

  /** Records that a workflow version was compiled from a completed run. A failure is logged: the version exists without a baseline. */
  async recordCompilation(run: string, workflow: string, version: number): Promise<void> {
    try {
      await this.measure(run);
      await this.goals.recordCompilation(run, workflow, version);
    } catch (error) {
      this.log.warn({ run, workflow, version, error: String(error) }, 'compilation not recorded');
    }
  }
}
