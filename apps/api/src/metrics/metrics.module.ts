import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.ts';

/** Serves the metrics on the port of the API; not imported if they have a separate port. */
@Module({
  controllers: [MetricsController],
})
export class MetricsModule {}
