import { systemClock, type BlobStore, type Log } from '@pilothouse/core';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { ModelMonths, Pool, RunWriter } from '@pilothouse/infra-db';
import { Turns } from '@pilothouse/infra-queue';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { ModelCalls } from './model.calls.ts';
import { ModelMetrics } from './model.metrics.ts';
import { ModelTraces } from './model.traces.ts';
import { paceOf } from './pace.ts';
import { ModelProviders } from './providers.ts';

export interface ModelsOptions {
  readonly config: ModelsConfig;
  readonly pool: Pool;
  readonly writer: RunWriter;
  readonly months: ModelMonths;
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
  readonly calls: ModelCalls;
  close(): void;
}

export function openModels(options: ModelsOptions): ModelsHouse {
  const { config, pool, writer, months, store, newId, redisUrl, redisPrefix: prefix, metrics, log } = options;
  const { endpoints, entries, fallback, callsPerMinute: perMinute } = config;
  const clock = systemClock;
  const isCounted = [perMinute, ...Object.values(endpoints).map((one) => one?.callsPerMinute)].some(Boolean);
  const turns = isCounted ? new Turns({ redisUrl, prefix, log }) : undefined;
  const turn = turns && paceOf({ turns, perMinute, endpoints, clock, log });
  const calls = new ModelCalls({
    pool,
    writer,
    months,
    providers: new ModelProviders({ endpoints, entries, clock, random: Math.random, ...(turn && { turn }) }),
    fallback,
    traces: new ModelTraces({ pool, store, newId, clock, log }),
    metrics: new ModelMetrics(metrics),
    newId,
    clock,
    log,
  });
  return { calls, close: () => turns?.close() };
}
