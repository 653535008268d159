import { Inject } from '@nestjs/common';
import { RunMeasurementsService } from '../savings/run-measurements.service.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

/** Measures what a completed run saved. */
export class MeasureSavingsReaction implements ReactionHandler {
  constructor(@Inject(RunMeasurementsService) private readonly measurements: Pick<RunMeasurementsService, 'measure'>) {}

  execute({ run }: ReactionAttempt): Promise<void> {
    return this.measurements.measure(run);
  }
}
