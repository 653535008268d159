import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.ts';

/** Serves the metrics beside the API; not imported where they have a port of their own. */
@Module({
  controllers: [MetricsController],
})
export class MetricsModule {}
