import { Module } from '@nestjs/common';
import { APP_CONTEXT, HEALTH_CHECKS, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { declareDependencyMetrics } from '../metrics/dependency.metrics.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { HealthService, type HealthChecks } from './health.service.ts';
import { HealthController } from './health.controller.ts';

function createHealthChecks(
  { stores, objects, metrics }: AppContext,
  { jobQueue }: RunLifecycleServices,
): HealthChecks {
  const checks: HealthChecks = {
    database: () => stores.check(),
    redis: () => jobQueue.check(),
    objects: () => objects.store.check(),
  };
  declareDependencyMetrics(metrics, { redis: checks.redis, object_store: checks.objects });
  return checks;
}

@Module({
  controllers: [HealthController],
  providers: [
    HealthService,
    { provide: HEALTH_CHECKS, inject: [APP_CONTEXT, RUN_LIFECYCLE], useFactory: createHealthChecks },
  ],
})
export class HealthModule {}
