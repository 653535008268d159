import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelChoice } from '@pilothouse/contract/model/model-settings.schema';
import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import { checkModelBudget } from '@pilothouse/core/run/budget-check';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import {
  readModelCallContext,
  retryWhileUnavailable,
  type SpendReservation,
  type ModelCallContext,
  type ModelSpendStore,
  type RetryDeadline,
} from '@pilothouse/infra-db';
import {
  askChosenModels,
  CallsInFlight,
  resolveModels,
  type CallLedger,
  type ConfiguredModels,
  type Estimate,
} from '@pilothouse/model';
import type { RegistryRunRecords } from './registry-run-records.ts';
import type { ShadowCallService } from './shadow-call.service.ts';
import type { ModelMetrics } from './model-call.metrics.ts';
import {
  leaseLost,
  ModelCallRecords,
  type ModelCallRequest,
  type RecordedCall,
  type ModelCallRecordsDeps,
} from './model-call-records.ts';

export interface ModelCallDeps extends ModelCallRecordsDeps {
  readonly months: ModelSpendStore;
  readonly providers: Pick<ConfiguredModels, 'get'>;
  /** Records the runs of registered models. */
  readonly registry?: Pick<RegistryRunRecords, 'addArms'>;
  /** Asks models of the stage `shadow` the same requests. */
  readonly shadow?: Pick<ShadowCallService, 'onAnswer'>;
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
   * @throws PilothouseError LEASE_LOST, MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE; BUDGET_EXCEEDED before a call that
   * could exceed the budget. MODEL_REFUSED and MODEL_INVALID are recorded if the call was paid for. UNAVAILABLE when
   * PostgreSQL was away for too long.
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
      throw new PilothouseError('MODEL_UNAVAILABLE', 'Earlier model calls of the run took all of its time');
    // Includes the usage of the earlier calls.
    return this.answer(call, hasBudget ? await this.readCallContext(call, context) : caller, context);
  }

  /** Waits until the deadline of the call. @returns whether it is settled */
  private async isSettled(earlierCalls: Promise<unknown>, { deadline }: ModelContext): Promise<boolean> {
    return settlesWithin(earlierCalls, Math.max(0, deadline - this.options.clock.monotonic()));
  }

  private async answer(call: ModelCallRequest, caller: ModelCallContext, context: ModelContext): Promise<ModelAnswer> {
    const { providers, fallback, clock, registry, shadow } = this.options;
    const { role } = call.request;
    const { choice, baseOf, arms } = resolveModels(call.run, { role, surface: caller.surface }, caller, fallback);
    await registry?.addArms(call.run, arms);
    const answer = await askChosenModels(call.request, context, {
      providers,
      choice,
      baseOf,
      ledger: this.ledgerOf(call, caller),
      clock,
      // The caller must still hold the run.
      beforeHedge: async (hedge) => void (await this.readCallContext(call, hedge)),
    });
    shadow?.onAnswer(call, caller, answer);
    return answer;
  }

  private async readCallContext(call: ModelCallRequest, context: ModelContext): Promise<ModelCallContext> {
    const { pool } = this.options;
    const caller = await retryWhileUnavailable(() => readModelCallContext(pool, call), this.retryDeadline(context));
    if (!caller) throw leaseLost();
    return caller;
  }

  /** Pays for the calls of one request: checks the budgets of run and project, measures and records. */
  private ledgerOf(callRequest: ModelCallRequest, caller: ModelCallContext): CallLedger {
    const { metrics } = this.options;
    const { records } = this;
    const { budget, usedTokens, usedUsd, traced } = caller;
    const callsInFlight = new CallsInFlight();
    return {
      open: async (ref, request, cost, context) => {
        const budgetError = checkModelBudget(
          budget,
          callsInFlight.totalWith({ tokens: usedTokens, usd: usedUsd }),
          cost,
        );
        if (budgetError) throw budgetError;
        const end = callsInFlight.start(cost);
        const reservation = await this.reserveBudget(caller, cost, context).catch((error: unknown) => {
          end();
          throw error;
        });
        const call: RecordedCall = { ...callRequest, request, project: caller.project, reservation };
        return {
          end,
          recordAnswer: async (answer, outcome) => {
            metrics?.onAnswer(ref, request, answer, outcome);
            await records.recordAnswer(call, answer, outcome, traced && outcome !== 'superseded');
          },
          recordFailure: async (error, spend, durationMs) => {
            metrics?.onFailure(ref, request, error.code);
            await records.settleBudget(call, spend);
            await records.recordFailure(call, ref, error, durationMs);
          },
          release: () => records.settleBudget(call, { tokens: 0, usd: 0 }),
        };
      },
    };
  }

  /** Reserves the estimated cost in the monthly budget; null without a budget. @throws PilothouseError BUDGET_EXCEEDED */
  private reserveBudget(
    { project, projectName, month }: ModelCallContext,
    cost: Estimate,
    context: ModelContext,
  ): Promise<SpendReservation | null> {
    const { months, newId } = this.options;
    if (!month) return Promise.resolve(null);
    return months.reserveWithinBudget(newId(), { project, projectName, month }, cost, this.retryDeadline(context));
  }

  /** Retries until the deadline of the call: nothing was charged yet. */
  private retryDeadline({ signal, deadline }: ModelContext): RetryDeadline {
    return { clock: this.options.clock, deadline, signal };
  }
}
