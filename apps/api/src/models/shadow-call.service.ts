import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ShadowResult } from '@pilothouse/contract/learning/registry.schema';
import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { readJpegSize } from '@pilothouse/core/observation/jpeg-size';
import { asksForNextAction, compareAnswers } from '@pilothouse/core/learning/evaluation/answer-agreement';
import { selectShadowModel, type RegistryRule } from '@pilothouse/core/learning/registry/registered-model-selection';
import { imagesOf } from '@pilothouse/core/model/request-images';
import { UnusableAnswerError, type ModelContext } from '@pilothouse/core/ports/model.port';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Timers } from '@pilothouse/core/time/timers';
import type { ModelCallContext, ModelSpendStore, RegistryShadowStore, ShadowCall } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { askChosenModels, type CallLedger, type ConfiguredModels } from '@pilothouse/model';
import type { ModelCallRequest } from './model-call-records.ts';
import { declareShadowCalls, type ShadowDropReason } from './model-call.metrics.ts';

/** Concurrent calls of a replica. Further ones are dropped. */
const MAX_CONCURRENT = 4;

/** Milliseconds after which a call is given up. */
const TIMEOUT_MS = 60_000;

/** Milliseconds for the records of a call. */
const RECORD_TIMEOUT_MS = 30_000;

/** Errors of a model. Others say nothing about it. */
const FAILURE_CODES: ReadonlySet<ErrorCode> = new Set([
  'MODEL_INVALID',
  'MODEL_NOT_CONFIGURED',
  'MODEL_REFUSED',
  'MODEL_UNAVAILABLE',
]);

export interface ShadowCallServiceDeps {
  readonly store: Pick<RegistryShadowStore, 'add'>;
  readonly months: Pick<ModelSpendStore, 'reserveWithinBudget' | 'settle'>;
  /** Models without retries, with breakers of their own. */
  readonly providers: Pick<ConfiguredModels, 'get'>;
  readonly metrics?: Metrics;
  readonly newId: () => string;
  /** A number between 0 and 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** A request of a run with the answer that it used. */
interface AnsweredCall {
  readonly call: ModelCallRequest;
  readonly caller: ModelCallContext;
  readonly answer: ModelAnswer;
}

/**
 * Asks models in the stage `shadow` the requests of runs a second time, and compares the actions. Runs do not wait, and no error reaches
 * them. A call is made once; under load it is dropped and counted.
 */
export class ShadowCallService {
  private readonly counter: ReturnType<typeof declareShadowCalls> | null;
  private readonly controller = new AbortController();
  private active = 0;

  constructor(private readonly deps: ShadowCallServiceDeps) {
    this.counter = deps.metrics ? declareShadowCalls(deps.metrics) : null;
  }

  /** Called with each answer of a run, before the run gets it. Returns at once and never throws. */
  onAnswer(call: ModelCallRequest, caller: ModelCallContext, answer: ModelAnswer): void {
    const { random, timers } = this.deps;
    const { request } = call;
    // A model that the run itself names is an experiment of its own.
    if (caller.model !== null || this.controller.signal.aborted || !asksForNextAction(request)) return;
    const rule = selectShadowModel(caller.registry, { role: request.role, surface: caller.surface });
    if (!rule || random() * 100 >= (rule.shadowPercent ?? 0)) return;
    if (this.active >= MAX_CONCURRENT) return this.count('busy');
    this.active += 1;
    // The answer of the run is sent first.
    timers.setTimeout(() => void this.ask(rule, { call, caller, answer }).finally(() => (this.active -= 1)), 0);
  }

  /** Ends the calls in progress. */
  onModuleDestroy(): void {
    this.controller.abort(new Error('The process stops'));
  }

  private async ask(rule: RegistryRule, answered: AnsweredCall): Promise<void> {
    const { store, log } = this.deps;
    const { call } = answered;
    try {
      const row = await this.compare(rule, answered);
      if (typeof row === 'string') return this.count(row);
      this.count(row.result);
      await store.add(row);
    } catch (error) {
      log.warn({ run: call.run, model: rule.id, error: String(error) }, 'shadow call not recorded');
    }
  }

  /** @returns the reason if the call says nothing about the model */
  private async compare(rule: RegistryRule, answered: AnsweredCall): Promise<ShadowCall | ShadowDropReason> {
    const { call, answer } = answered;
    const facts = {
      ...{ model: rule.id, run: call.run, step: call.step, role: call.request.role },
      baseModel: `${answer.provider}/${answer.model}`,
      ...{ hasSameKind: null, hasSameTarget: null, hasSameText: null, problem: null },
    };
    let shadow: ModelAnswer;
    let isSent = false;
    try {
      shadow = await this.generate(rule, answered, () => (isSent = true));
    } catch (error) {
      const { code } = toPilothouseError(error);
      const reason = this.dropReasonOf(code, isSent);
      if (reason === 'error')
        this.deps.log.warn({ run: call.run, model: rule.id, error: String(error) }, 'shadow call failed');
      if (reason !== null) return reason;
      const unusable = error instanceof UnusableAnswerError ? error.answer : null;
      return { ...facts, result: 'failed', problem: code, ...usageOf(unusable) };
    }
    const image = imagesOf(call.request).at(-1);
    const compared = compareAnswers(answer, shadow, {
      surface: call.request.surface,
      image: image ? readJpegSize(Buffer.from(image, 'base64')) : null,
    });
    if (compared.kind === 'problem')
      return { ...facts, result: 'failed', problem: compared.reason.slice(0, 300), ...usageOf(shadow) };
    if (compared.kind === 'incomparable') return { ...facts, result: 'undetermined', ...usageOf(shadow) };
    const { isMatch, hasSameKind, hasSameTarget, hasSameText } = compared.comparison;
    const result: ShadowResult = isMatch === null ? 'undetermined' : isMatch ? 'agreed' : 'disagreed';
    return { ...facts, result, hasSameKind, hasSameTarget, hasSameText, ...usageOf(shadow) };
  }

  /** @returns null if the model failed */
  private dropReasonOf(code: ErrorCode, isSent: boolean): ShadowDropReason | null {
    if (this.controller.signal.aborted) return 'aborted';
    if (code === 'BUDGET_EXCEEDED') return 'budget';
    // Before the call, a rate limit or a circuit breaker throws it.
    if (code === 'MODEL_UNAVAILABLE' && !isSent) return 'unavailable';
    return FAILURE_CODES.has(code) ? null : 'error';
  }

  private generate(rule: RegistryRule, { call, caller }: AnsweredCall, onStart: () => void): Promise<ModelAnswer> {
    const { providers, clock, log } = this.deps;
    const deadline = clock.monotonic() + TIMEOUT_MS;
    const context: ModelContext = { signal: this.controller.signal, deadline, log, onStart };
    return askChosenModels(call.request, context, {
      providers,
      choice: { use: [rule.model], ...(rule.dialect && { dialect: rule.dialect }) },
      baseOf: () => rule.base,
      ledger: this.ledgerOf(caller),
      clock,
    });
  }

  /** Counts a call in the monthly budget of the project, and not in the usage of the run. */
  private ledgerOf({ project, projectName, month }: ModelCallContext): CallLedger {
    const { months, newId, clock } = this.deps;
    return {
      open: async (_ref, _request, cost, { deadline, signal }) => {
        const budgeted = month && { project, projectName, month };
        const reservation = budgeted
          ? await months.reserveWithinBudget(newId(), budgeted, cost, { clock, deadline, signal })
          : null;
        const settle = async (spend: { tokens: number; usd: number }) => {
          const isCounted = spend.tokens > 0 || spend.usd > 0;
          if (!isCounted && reservation === null) return;
          const limit = { clock, deadline: clock.monotonic() + RECORD_TIMEOUT_MS };
          await months.settle(isCounted ? newId() : null, project, reservation, spend, limit);
        };
        return {
          end: () => undefined,
          recordAnswer: ({ usage, usd }) => settle({ tokens: usage.inputTokens + usage.outputTokens, usd: usd ?? 0 }),
          recordFailure: (_error, spend) => settle(spend),
          release: () => settle({ tokens: 0, usd: 0 }),
        };
      },
    };
  }

  private count(result: ShadowResult | ShadowDropReason): void {
    this.counter?.inc({ result });
  }
}

const usageOf = (answer: ModelAnswer | null) => ({
  inputTokens: answer?.usage.inputTokens ?? 0,
  outputTokens: answer?.usage.outputTokens ?? 0,
  usd: answer?.usd ?? null,
  durationMs: answer && Math.round(answer.durationMs),
});
