import { systemClock, type BlobStore, type Log } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { ModelSpendStore, Pool, RunWriter } from '@pilothouse/infra-db';
import { RateLimiter } from '@pilothouse/infra-queue';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { ModelCallService } from './model-call.service.ts';
import { ModelMetrics } from './model-call.metrics.ts';
import { ModelCallTraces } from './model-call-traces.ts';
import { createModelRateLimit } from './model-rate-limit.ts';
import { ConfiguredModels } from './configured-models.ts';

export interface ModelsOptions {
  readonly config: ModelsConfig;
  readonly pool: Pool;
  readonly writer: RunWriter;
  readonly months: ModelSpendStore;
  /** Where prompts and answers are kept. */
  readonly store: BlobStore;
  newId(): string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What asks models for runs, at one replica. */
export interface ModelsHouse {
  readonly calls: ModelCallService;
  close(): void;
}

export function ModelsModule(options: ModelsOptions): ModelsHouse {
  const { config, pool, writer, months, store, newId, redisUrl, redisPrefix: prefix, metrics, log } = options;
  const { endpoints, overrides: entries, fallback, callsPerMinute: perMinute } = config;
  const clock = systemClock;
  const isCounted = [perMinute, ...Object.values(endpoints).map((one) => one?.callsPerMinute)].some(Boolean);
  const turns = isCounted ? new RateLimiter({ redisUrl, prefix, log }) : undefined;
  const turn = turns && createModelRateLimit({ turns, perMinute, endpoints, clock, log });
  const calls = new ModelCallService({
    pool,
    writer,
    months,
    providers: new ConfiguredModels({ endpoints, entries, clock, random: Math.random, ...(turn && { turn }) }),
    fallback,
    traces: new ModelCallTraces({ pool, store, newId, clock, log }),
    metrics: new ModelMetrics(metrics),
    newId,
    clock,
    log,
  });
  return { calls, close: () => turns?.close() };
}
