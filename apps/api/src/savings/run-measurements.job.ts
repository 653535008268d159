import { Inject, type OnModuleInit } from '@nestjs/common';
import { JOB_DEPS } from '../common/injection-tokens.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';
import { RunMeasurementsService } from './run-measurements.service.ts';

/** Milliseconds between two checks for ended runs. */
const CHECK_INTERVAL_MS = 2_000;

/** Milliseconds for one check with all the runs it finds. */
const DEADLINE_MS = 120_000;

/** Measures completed runs. All replicas do so: each run is measured once. */
export class RunMeasurementsJob implements OnModuleInit {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(RunMeasurementsService) measurements: Pick<RunMeasurementsService, 'measureEnded'>,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    this.job = new PeriodicJob(
      {
        ...{ name: 'run-measurements', everyMs: CHECK_INTERVAL_MS, deadlineMs: DEADLINE_MS },
        run: (signal) => measurements.measureEnded(signal),
      },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Starts no further batch, and resolves when the current one is written. */
  stop(): Promise<void> {
    return this.job.stop();
  }
}
