import { Module } from '@nestjs/common';
import { APP_CONTEXT, HEALTH_CHECKS, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { HealthService, type HealthChecks } from './health.service.ts';
import { HealthController } from './health.controller.ts';

const createHealthChecks = ({ stores, objects }: AppContext, { jobQueue }: RunLifecycleServices): HealthChecks => ({
  database: () => stores.check(),
  redis: () => jobQueue.check(),
  objects: () => objects.store.check(),
});

@Module({
  controllers: [HealthController],
  providers: [
    HealthService,
    { provide: HEALTH_CHECKS, inject: [APP_CONTEXT, RUN_LIFECYCLE], useFactory: createHealthChecks },
  ],
})
export class HealthModule {}
