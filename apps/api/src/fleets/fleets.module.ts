import { Module } from '@nestjs/common';
import { FleetSamplerJob } from './fleet-sampler.job.ts';
import { FleetsController } from './fleets.controller.ts';
import { FleetsService } from './fleets.service.ts';
import { QueueModule } from '../queue/queue.module.ts';

@Module({
  imports: [QueueModule],
  controllers: [FleetsController],
  providers: [FleetsService, FleetSamplerJob],
})
export class FleetsModule {}
