import { Module } from '@nestjs/common';
import { RunMeasurementsService } from './run-measurements.service.ts';
import { SavingsService } from './savings.service.ts';
import { SavingsController } from './savings.controller.ts';

/** Saved model calls and repeated goals. */
@Module({
  controllers: [SavingsController],
  providers: [SavingsService, RunMeasurementsService],
  exports: [RunMeasurementsService],
})
export class SavingsModule {}
