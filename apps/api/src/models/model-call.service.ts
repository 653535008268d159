import { PilothouseError, toPilothouseError, type ModelAnswer, type ModelChoice } from '@pilothouse/contract';
import {
  imagesOf,
  checkModelBudget,
  monthBudgetExceeded,
  UnusableAnswerError,
  type Model,
  type ModelContext,
  settlesWithin,
} from '@pilothouse/core';
import {
  readModelCallContext,
  retryWhileUnavailable,
  type SpendReservation,
  type ModelCallContext,
  type ModelSpendStore,
  type RetryDeadline,
} from '@pilothouse/infra-db';
import {
  capabilitiesOf,
  withFallback,
  estimate,
  withHedging,
  isHedgeLost,
  type Estimate,
  type ModelRef,
} from '@pilothouse/model';
import { applyModelChoice, selectModels } from './model-selection.ts';
import type { ModelMetrics } from './model-call.metrics.ts';
import {
  leaseLost,
  ModelCallRecords,
  type ModelCallRequest,
  type RecordedCall,
  type ModelCallRecordsDeps,
} from './model-call-records.ts';
import type { ConfiguredModels } from './configured-models.ts';

export interface ModelCallDeps extends ModelCallRecordsDeps {
  readonly months: ModelSpendStore;
  readonly providers: Pick<ConfiguredModels, 'get'>;
  /** Default model of the installation. */
  readonly fallback: ModelChoice | undefined;
  /** Metrics of calls. */
  readonly metrics?: Pick<ModelMetrics, 'onAnswer' | 'onFailure'>;
}

/** Asks models for runs: within their budgets, and with every call on record. */
export class ModelCallService {
  private readonly options: ModelCallDeps;
  private readonly records: ModelCallRecords;
  /** By run: settles when all calls of the run have settled. */
  private readonly calls = new Map<string, Promise<unknown>>();

  constructor(options: ModelCallDeps) {
    this.options = options;
    this.records = new ModelCallRecords(options);
  }

  /**
   * Calls the model that the project, or the installation, configures for the role.
   * @throws PilothouseError LEASE_LOST; MODEL_NOT_CONFIGURED; BUDGET_EXCEEDED when the call could go beyond (it was not made); MODEL_UNAVAILABLE;
   * MODEL_REFUSED, MODEL_INVALID (on record, when it was paid for); UNAVAILABLE when PostgreSQL was away for too long
   */
  call(request: ModelCallRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const { clock, log } = this.options;
    const context = { signal, deadline: clock.monotonic() + request.timeoutMs, log, onText: request.onText };
    const { run } = request;
    // Queued before the first wait, so that calls keep their order.
    const earlierCalls = this.calls.get(run) ?? Promise.resolve();
    const answer = this.callWithinBudget(request, earlierCalls, context);
    const allSettled = Promise.allSettled([earlierCalls, answer]);
    this.calls.set(run, allSettled);
    void allSettled.then(() => {
      if (this.calls.get(run) === allSettled) this.calls.delete(run);
    });
    return answer;
  }

  /** With a budget, a call waits until the earlier calls of the run are recorded. */
  private async callWithinBudget(
    call: ModelCallRequest,
    earlierCalls: Promise<unknown>,
    context: ModelContext,
  ): Promise<ModelAnswer> {
    const caller = await this.readCallContext(call, context);
    const { budget } = caller;
    const hasBudget = budget.tokens !== undefined || budget.usd !== undefined;
    // A call past its deadline is not made.
    if (
      (hasBudget && !(await this.isSettled(earlierCalls, context))) ||
      this.options.clock.monotonic() >= context.deadline
    )
      throw new PilothouseError('MODEL_UNAVAILABLE', 'The calls of the run before it took all of its time');
    // Includes the usage of the earlier calls.
    return this.answer(call, hasBudget ? await this.readCallContext(call, context) : caller, context);
  }

  /** Waits until the deadline of the call. @returns whether it is settled */
  private async isSettled(earlierCalls: Promise<unknown>, { deadline }: ModelContext): Promise<boolean> {
    return settlesWithin(earlierCalls, Math.max(0, deadline - this.options.clock.monotonic()));
  }

  private async answer(call: ModelCallRequest, caller: ModelCallContext, context: ModelContext): Promise<ModelAnswer> {
    const { fallback } = this.options;
    const { role } = call.request;
    const choice = selectModels(role, caller.models, fallback);
    const modelNames =
      imagesOf(call.request).length > 0 ? choice?.use.filter((name) => this.acceptsImages(name)) : choice?.use;
    if (!choice || !modelNames || modelNames.length === 0) {
      throw new PilothouseError(
        'MODEL_NOT_CONFIGURED',
        `No model ${choice ? 'that takes images ' : ''}is set for "${role}": set one for the project, or PILOTHOUSE_MODEL for the API`,
      );
    }
    const callsInFlight = new CallsInFlight();
    const models = modelNames.map((name) => this.recordedModel(name, caller, call, callsInFlight));
    const { hedgeMs } = choice;
    const model =
      hedgeMs === undefined
        ? withFallback(models)
        : withHedging(
            withFallback(models),
            this.afterLeaseCheck(call, withFallback(models.slice(1 % models.length))),
            hedgeMs,
          );
    const answer = await model.generate(applyModelChoice(call.request, choice), context);
    if (answer.finish !== 'safety') return answer;
    throw new PilothouseError('MODEL_REFUSED', 'The provider of the model blocked the answer');
  }

  /** An unknown model counts as accepting images; the call reports the error. @param name `endpoint/model` */
  private acceptsImages(name: string): boolean {
    try {
      return capabilitiesOf(this.options.providers.get(name).ref).acceptsImages;
    } catch {
      return true;
    }
  }

  private async readCallContext(call: ModelCallRequest, context: ModelContext): Promise<ModelCallContext> {
    const { pool } = this.options;
    const caller = await retryWhileUnavailable(() => readModelCallContext(pool, call), this.retryDeadline(context));
    if (!caller) throw leaseLost();
    return caller;
  }

  /** Wraps a model: checks in PostgreSQL before each call that the caller holds the run. */
  private afterLeaseCheck(call: ModelCallRequest, model: Model): Model {
    return {
      generate: async (request, context) => {
        await this.readCallContext(call, context);
        return model.generate(request, context);
      },
    };
  }

  /** Wraps a model: checks the budget, and measures and records each call. */
  private recordedModel(
    name: string,
    caller: ModelCallContext,
    callRequest: ModelCallRequest,
    callsInFlight: CallsInFlight,
  ): Model {
    const { providers, metrics, clock } = this.options;
    const { records } = this;
    const { budget, usedTokens, usedUsd, traced } = caller;
    return {
      generate: async (request, context) => {
        const { ref, model } = providers.get(name);
        const cost = estimate(ref, request);
        const budgetError = checkModelBudget(budget, callsInFlight.with({ tokens: usedTokens, usd: usedUsd }), cost);
        if (budgetError) throw budgetError;
        const endCall = callsInFlight.start(cost);
        const reservation = await this.reserveBudget(caller, cost, context).catch((error: unknown) => {
          endCall();
          throw error;
        });
        const call: RecordedCall = { ...callRequest, request, project: caller.project, reservation };
        const since = clock.monotonic();
        let isSent = false;
        const onStart = () => {
          isSent = true;
          context.onStart?.();
        };
        let answer: ModelAnswer;
        try {
          context.signal.throwIfAborted();
          answer = await model.generate(request, { ...context, onStart });
          context.onEnd?.(true);
        } catch (cause) {
          if (isSent) context.onEnd?.(false);
          if (cause instanceof UnusableAnswerError) {
            metrics?.onAnswer(ref, request, cause.answer, 'invalid');
            await records.recordAnswer(call, cause.answer, 'invalid', traced);
          } else if (!isSent && context.signal.aborted) {
            // Nothing was sent: another call has answered, or the caller is gone.
            await records.settleBudget(call, { tokens: 0, usd: 0 });
          } else if (isHedgeLost(context)) {
            // The provider has received the prompt; the length of its answer is unknown.
            const supersededAnswer = toSupersededAnswer(ref, cost, clock.monotonic() - since);
            metrics?.onAnswer(ref, request, supersededAnswer, 'superseded');
            await records.recordAnswer(call, supersededAnswer, 'superseded', false);
          } else {
            const error = toPilothouseError(cause);
            metrics?.onFailure(ref, request, error.code);
            const ms = Math.round(clock.monotonic() - since);
            // A call that timed out may be charged for its prompt.
            const isPaid = isSent && clock.monotonic() >= context.deadline;
            const { tokens, usd } = isPaid ? cost.input : { tokens: 0, usd: 0 };
            await records.settleBudget(call, { tokens, usd: usd ?? 0 });
            await records.recordFailure(call, ref, error, ms);
          }
          throw cause;
        } finally {
          endCall();
        }
        metrics?.onAnswer(ref, request, answer, answer.finish);
        await records.recordAnswer(call, answer, answer.finish, traced);
        return answer;
      },
    };
  }

  /** Reserves the estimated cost in the monthly budget; null without a budget. @throws PilothouseError BUDGET_EXCEEDED */
  private async reserveBudget(
    caller: ModelCallContext,
    { tokens, usd }: Estimate,
    context: ModelContext,
  ): Promise<SpendReservation | null> {
    const { project, projectName, month } = caller;
    if (!month) return null;
    const { months, newId } = this.options;
    const isUnknown = month.usd !== undefined && usd === null;
    const limit = this.retryDeadline(context);
    const reservation = isUnknown
      ? null
      : await months.reserve(newId(), project, month, { tokens, usd: usd ?? 0 }, limit);
    if (reservation) return reservation;
    throw monthBudgetExceeded(projectName, month, await retryWhileUnavailable(() => months.read(project), limit), {
      tokens,
      usd,
    });
  }

  /** Retries until the deadline of the call: nothing was charged yet. */
  private retryDeadline({ signal, deadline }: ModelContext): RetryDeadline {
    return { clock: this.options.clock, deadline, signal };
  }
}

/** Estimated usage of the unfinished calls of one request. */
class CallsInFlight {
  private tokens = 0;
  private usd = 0;

  /** @returns removes the estimate when the call has ended */
  start({ tokens, usd }: Estimate): () => void {
    this.tokens += tokens;
    this.usd += usd ?? 0;
    return () => {
      this.tokens -= tokens;
      this.usd -= usd ?? 0;
    };
  }

  with({ tokens, usd }: { tokens: number; usd: number }) {
    return { tokens: tokens + this.tokens, usd: usd + this.usd };
  }
}

/** Stands for the answer of a superseded call: only the usage of the prompt is known. */
const toSupersededAnswer = ({ provider, model }: ModelRef, { input }: Estimate, ms: number): ModelAnswer => ({
  text: '',
  calls: [],
  finish: 'stop',
  provider,
  model,
  usage: { inputTokens: input.tokens, outputTokens: 0, cachedTokens: 0 },
  usd: input.usd,
  durationMs: ms,
});
