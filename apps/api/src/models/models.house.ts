import { systemClock, type Log } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { Pool, RunWriter } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { ModelCalls } from './model.calls.ts';
import { ModelMetrics } from './model.metrics.ts';
import { ModelProviders } from './providers.ts';

export interface ModelsOptions {
  readonly config: ModelsConfig;
  readonly pool: Pool;
  readonly writer: RunWriter;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What asks models for runs, at one replica. */
export function openModels({ config, pool, writer, metrics, log }: ModelsOptions): ModelCalls {
  const { endpoints, fallback } = config;
  const clock = systemClock;
  return new ModelCalls({
    pool,
    writer,
    providers: new ModelProviders({ endpoints, clock, random: Math.random }),
    fallback,
    metrics: new ModelMetrics(metrics),
    clock,
    log,
  });
}
