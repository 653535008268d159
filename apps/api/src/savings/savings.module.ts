import { Module } from '@nestjs/common';
import { RunMeasurementsJob } from './run-measurements.job.ts';
import { RunMeasurementsService } from './run-measurements.service.ts';
import { SavingsController } from './savings.controller.ts';
import { SavingsService } from './savings.service.ts';

/** Saved model calls and repeated goals. */
@Module({
  controllers: [SavingsController],
  providers: [SavingsService, RunMeasurementsService, RunMeasurementsJob],
  exports: [RunMeasurementsService],
})
export class SavingsModule {}
