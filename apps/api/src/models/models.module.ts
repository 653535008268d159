import { Module } from '@nestjs/common';
import { systemClock } from '@pilothouse/core';
import { RateLimiter } from '@pilothouse/infra-queue';
import { APP_CONTEXT, MODEL_RATE_LIMITER, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { ConfiguredModels } from './configured-models.ts';
import { ModelMetrics } from './model-call.metrics.ts';
import { ModelCallService } from './model-call.service.ts';
import { ModelCallTraces } from './model-call-traces.ts';
import { createModelRateLimit } from './model-rate-limit.ts';
import { ModelsController } from './models.controller.ts';

/** Connects to Redis only if a limit is configured. */
function createRateLimiter({ config: { models, redisUrl, redisPrefix: prefix }, log }: AppContext): RateLimiter | null {
  const limits = [
    models.callsPerMinute,
    ...Object.values(models.endpoints).map((endpoint) => endpoint?.callsPerMinute),
  ];
  return limits.some(Boolean) ? new RateLimiter({ redisUrl, prefix, log }) : null;
}

function createModelCalls(
  { config, pool, stores, objects, metrics, log }: AppContext,
  { writer }: RunLifecycleServices,
  limiter: RateLimiter | null,
): ModelCallService {
  const { endpoints, overrides: entries, fallback, callsPerMinute: perMinute } = config.models;
  const clock = systemClock;
  const turn = limiter && createModelRateLimit({ turns: limiter, perMinute, endpoints, clock, log });
  return new ModelCallService({
    pool,
    writer,
    months: stores.modelSpend,
    providers: new ConfiguredModels({ endpoints, entries, clock, random: Math.random, ...(turn && { turn }) }),
    fallback,
    traces: new ModelCallTraces({ pool, store: objects.store, newId, clock, log }),
    metrics: new ModelMetrics(metrics),
    newId,
    clock,
    log,
  });
}

/** Model calls of runs, for the gateway. */
@Module({
  providers: [
    { provide: MODEL_RATE_LIMITER, inject: [APP_CONTEXT], useFactory: createRateLimiter },
    {
      provide: ModelCallService,
      inject: [APP_CONTEXT, RUN_LIFECYCLE, MODEL_RATE_LIMITER],
      useFactory: createModelCalls,
    },
  ],
  exports: [ModelCallService],
})
export class ModelCallsModule {}

@Module({ controllers: [ModelsController] })
export class ModelsModule {}
