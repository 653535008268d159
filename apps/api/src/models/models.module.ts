import { Module } from '@nestjs/common';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { RegistryShadowStore } from '@pilothouse/infra-db';
import { RateLimiter } from '@pilothouse/infra-queue';
import { APP_CONTEXT, MODEL_RATE_LIMITER, RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { ConfiguredModels, createModelRateLimit, NO_RETRIES } from '@pilothouse/model';
import { ModelMetrics } from './model-call.metrics.ts';
import { ModelCallService } from './model-call.service.ts';
import { ModelCallTraces } from './model-call-traces.ts';
import { RegistryRunRecords } from './registry-run-records.ts';
import { ShadowCallService } from './shadow-call.service.ts';

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
  shadow: ShadowCallService,
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
    registry: new RegistryRunRecords(stores.registry, log),
    metrics: new ModelMetrics(metrics),
    shadow,
    newId,
    clock,
    log,
  });
}

/** Shadow calls have their own providers: without retries, with their own breakers, and only with a free call of a rate limit. */
function createShadowCallService(
  { config, pool, stores, metrics, log }: AppContext,
  limiter: RateLimiter | null,
): ShadowCallService {
  const { endpoints, overrides: entries, callsPerMinute: perMinute } = config.models;
  const clock = systemClock;
  const turn = limiter && createModelRateLimit({ turns: limiter, perMinute, endpoints, clock, log });
  const providers = new ConfiguredModels({
    ...{ endpoints, entries, clock, random: Math.random, retries: NO_RETRIES },
    ...(turn && { turn: (endpoint, { signal }) => turn(endpoint, { signal, deadline: clock.monotonic() }) }),
  });
  const { modelSpend: months } = stores;
  const store = new RegistryShadowStore(pool);
  return new ShadowCallService({
    ...{ store, months, providers, metrics, newId, random: Math.random, clock, timers: systemTimers, log },
  });
}

/** Rate limiter of model calls; null: no limit is configured. */
@Module({
  providers: [{ provide: MODEL_RATE_LIMITER, inject: [APP_CONTEXT], useFactory: createRateLimiter }],
  exports: [MODEL_RATE_LIMITER],
})
export class ModelRateLimitModule {}

/** Model calls of runs, for the gateway. */
@Module({
  imports: [ModelRateLimitModule],
  providers: [
    {
      provide: ModelCallService,
      inject: [APP_CONTEXT, RUN_LIFECYCLE, MODEL_RATE_LIMITER, ShadowCallService],
      useFactory: createModelCalls,
    },
    { provide: ShadowCallService, inject: [APP_CONTEXT, MODEL_RATE_LIMITER], useFactory: createShadowCallService },
  ],
  exports: [ModelCallService],
})
export class ModelCallsModule {}
