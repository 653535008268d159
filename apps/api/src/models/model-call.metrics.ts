import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { shadowResultSchema } from '@pilothouse/contract/learning/registry.schema';
import {
  modelFinishSchema,
  modelRoles,
  type ModelAnswer,
  type ModelFinish,
  type ModelRequest,
  callTierSchema,
} from '@pilothouse/contract/model/model.schema';
import { tierOfCall } from '@pilothouse/core/model/request-images';
import type { Metrics } from '@pilothouse/infra-telemetry';
import type { ModelRef } from '@pilothouse/model';

/** Outcome of a call: finish reason, or error. */
const outcomes = [
  ...modelFinishSchema.options,
  'invalid',
  'superseded',
  'unavailable',
  'refused',
  'not_configured',
  'other',
] as const;
export type ModelOutcome = (typeof outcomes)[number];

const outcomeOfCode: Partial<Record<ErrorCode, ModelOutcome>> = {
  MODEL_UNAVAILABLE: 'unavailable',
  MODEL_REFUSED: 'refused',
  MODEL_INVALID: 'invalid',
  MODEL_NOT_CONFIGURED: 'not_configured',
};

/** Endpoints and models with their own label; further ones share one. */
const ENDPOINTS = { maxValues: 20 } as const;
const MODELS = { maxValues: 50 } as const;

const TIERS = callTierSchema.options;

const CALL_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

const declare = (metrics: Metrics) => ({
  calls: metrics.counter({
    name: 'model_calls_total',
    help: 'Model calls by outcome. Retries within a call are not counted separately',
    labels: { provider: ENDPOINTS, model: MODELS, role: modelRoles, tier: TIERS, outcome: outcomes },
  }),
  seconds: metrics.histogram({
    name: 'model_call_seconds',
    help: 'Time until a model answered, including retries and waits for its rate limits',
    labels: { provider: ENDPOINTS, model: MODELS, role: modelRoles, tier: TIERS },
    buckets: CALL_BUCKETS,
  }),
  tokens: metrics.counter({
    name: 'model_tokens_total',
    help: 'Tokens sent to and received from models. `cached` tokens are part of `input`',
    labels: { provider: ENDPOINTS, model: MODELS, role: modelRoles, tier: TIERS, kind: ['input', 'output', 'cached'] },
  }),
  usd: metrics.counter({
    name: 'model_usd_total',
    help: 'US dollars for calls to models with a known price',
    labels: { provider: ENDPOINTS, model: MODELS, role: modelRoles, tier: TIERS },
  }),
});

type MeasuredRequest = Pick<ModelRequest, 'role' | 'messages'>;

const labelsOf = (provider: string, model: string, request: MeasuredRequest) => ({
  provider,
  model,
  role: request.role,
  tier: tierOfCall(request),
});

/** Usage and duration of model calls, counted by the replica that made them. */
export class ModelMetrics {
  private readonly metrics: ReturnType<typeof declare>;

  constructor(metrics: Metrics) {
    this.metrics = declare(metrics);
  }

  onAnswer(
    { provider, model }: ModelRef,
    request: MeasuredRequest,
    answer: ModelAnswer,
    outcome: ModelFinish | 'invalid' | 'superseded',
  ): void {
    const { calls, seconds, tokens, usd } = this.metrics;
    const labels = labelsOf(provider, model, request);
    const { inputTokens, outputTokens, cachedTokens } = answer.usage;
    calls.inc({ ...labels, outcome });
    seconds.observe(answer.durationMs / 1000, labels);
    tokens.add(inputTokens, { ...labels, kind: 'input' });
    tokens.add(outputTokens, { ...labels, kind: 'output' });
    tokens.add(cachedTokens, { ...labels, kind: 'cached' });
    if (answer.usd !== null) usd.add(answer.usd, labels);
  }

  onFailure({ provider, model }: ModelRef, request: MeasuredRequest, code: ErrorCode): void {
    this.metrics.calls.inc({ ...labelsOf(provider, model, request), outcome: outcomeOfCode[code] ?? 'other' });
  }
}

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
