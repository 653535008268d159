import { shadowResultSchema } from '@pilothouse/contract/learning/registry.schema';
import type { Metrics } from '@pilothouse/infra-telemetry';

/** Reasons for which a shadow call has no record. Only `aborted` and `error` may have been sent. */
const dropReasons = ['busy', 'budget', 'unavailable', 'aborted', 'error'] as const;
export type ShadowDropReason = (typeof dropReasons)[number];

/** Counter of shadow calls by result. */
export const declareShadowCalls = (metrics: Metrics) =>
  metrics.counter({
    name: 'registry_shadow_calls_total',
    help: 'Calls of models in the stage `shadow` by result. Dropped calls: `busy` (four in progress), `budget` (of the month), `unavailable` (rate limit or open circuit breaker), `aborted` (shutdown), `error` (of Pilothouse)',
    labels: { result: [...shadowResultSchema.options, ...dropReasons] },
  });
