import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { JobKind } from '@pilothouse/contract/job/job.schema';
import { modelFinishSchema, type ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { collectProcessMetrics } from '@pilothouse/infra-telemetry';
import { Counter, Histogram, Registry } from 'prom-client';
import type { AttemptResult } from './runner/job-attempt.ts';
import type { JobObserver } from './runner/job-runner.ts';

const SECONDS_BUCKETS = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600, 14_400];

/** Prometheus metrics of the job runner. */
export class JobsMetrics implements JobObserver {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #attempts = new Counter({
    name: 'pilothouse_jobs_attempts_total',
    help: 'Attempts of background jobs by result: completed, failed, retried, cancelled, handed_back or lost',
    labelNames: ['kind', 'result'] as const,
    registers: this.#registers,
  });
  readonly #seconds = new Histogram({
    name: 'pilothouse_jobs_attempt_seconds',
    help: 'Duration of attempts of background jobs',
    labelNames: ['kind', 'result'] as const,
    buckets: SECONDS_BUCKETS,
    registers: this.#registers,
  });
  readonly #waitSeconds = new Histogram({
    name: 'pilothouse_jobs_wait_seconds',
    help: 'Time from when a background job was due until an attempt started',
    labelNames: ['kind'] as const,
    buckets: SECONDS_BUCKETS,
    registers: this.#registers,
  });
  readonly #modelCalls = new Counter({
    name: 'pilothouse_jobs_model_calls_total',
    help: 'Model calls of background jobs by outcome: a finish reason, invalid, superseded or failed',
    labelNames: ['kind', 'outcome'] as const,
    registers: this.#registers,
  });
  readonly #modelTokens = new Counter({
    name: 'pilothouse_jobs_model_tokens_total',
    help: 'Tokens that background jobs sent to and received from models',
    labelNames: ['kind', 'direction'] as const,
    registers: this.#registers,
  });
  readonly #modelUsd = new Counter({
    name: 'pilothouse_jobs_model_usd_total',
    help: 'US dollars for calls of background jobs to models with a known price',
    labelNames: ['kind'] as const,
    registers: this.#registers,
  });

  constructor() {
    collectProcessMetrics(this.registry);
  }

  onStart(kind: JobKind, waitedMs: number): void {
    this.#waitSeconds.observe({ kind }, waitedMs / 1000);
  }

  onEnd(kind: JobKind, result: AttemptResult, durationMs: number): void {
    this.#attempts.inc({ kind, result });
    this.#seconds.observe({ kind, result }, durationMs / 1000);
  }

  onModelAnswer(
    kind: JobKind,
    { usage, usd }: Pick<ModelAnswer, 'usage' | 'usd'>,
    outcome: (typeof modelFinishSchema.options)[number] | 'invalid' | 'superseded',
  ): void {
    this.#modelCalls.inc({ kind, outcome });
    this.#modelTokens.inc({ kind, direction: 'input' }, usage.inputTokens);
    this.#modelTokens.inc({ kind, direction: 'output' }, usage.outputTokens);
    if (usd !== null) this.#modelUsd.inc({ kind }, usd);
  }

  onModelFailure(kind: JobKind, _code: ErrorCode): void {
    this.#modelCalls.inc({ kind, outcome: 'failed' });
  }
}
