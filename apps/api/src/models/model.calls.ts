import {
  makeEvent,
  PilothouseError,
  toPilothouseError,
  type EventData,
  type FromWorkerOf,
  type ModelAnswer,
  type ModelChoice,
  type ModelRequest,
} from '@pilothouse/contract';
import {
  formInWords,
  imagesOf,
  inWords,
  overModelBudget,
  overMonth,
  rungOfCall,
  UnusableAnswer,
  type Clock,
  type Log,
  type Model,
  type ModelContext,
} from '@pilothouse/core';
import {
  modelCallerOf,
  type Held,
  type ModelCaller,
  type ModelMonths,
  type Pool,
  type RunWriter,
} from '@pilothouse/infra-db';
import {
  abilitiesOf,
  chain,
  estimate,
  hedged,
  isOutrun,
  nameOf,
  type Estimate,
  type ModelRef,
} from '@pilothouse/model';
import { asChosen, choiceOf } from './choice.ts';
import type { ModelMetrics } from './model.metrics.ts';
import type { ModelTraces } from './model.traces.ts';
import type { ModelProviders } from './providers.ts';

export interface ModelCallsOptions {
  readonly pool: Pool;
  readonly writer: Pick<RunWriter, 'write'>;
  /** Counts what calls take of their projects. */
  readonly months: ModelMonths;
  readonly providers: Pick<ModelProviders, 'find'>;
  /** What is asked where a project says nothing. */
  readonly fallback: ModelChoice | undefined;
  /** Told of each call; without it nobody measures. */
  readonly metrics?: Pick<ModelMetrics, 'answered' | 'failed'>;
  /** Keeps prompts and answers of runs that want it; without it nobody does. */
  readonly traces?: Pick<ModelTraces, 'keep'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A request of an attempt, and the session that holds it. */
export interface AskedModel extends Pick<FromWorkerOf<'model.request'>, 'run' | 'epoch' | 'step' | 'withinMs'> {
  readonly request: ModelRequest;
  readonly session: string;
  /** Called while the model speaks, as `ModelContext.said`. */
  readonly said?: ModelContext['said'];
}

/** A call that was made. */
interface MadeCall extends AskedModel {
  readonly project: string;
  /** Room that it has in the month of the project. */
  readonly held: Held | null;
}

/** Characters of why a call failed. */
const MAX_SAID = 400;

type Finish = EventData<'model.called'>['finish'];

/** Asks models for runs: within their budgets, and with every call on record. */
export class ModelCalls {
  private readonly options: ModelCallsOptions;
  /** All calls of a run up to the last one: settled when they all are. */
  private readonly calls = new Map<string, Promise<unknown>>();

  constructor(options: ModelCallsOptions) {
    this.options = options;
  }

  /**
   * Asks the model that the project, or the installation, has for this.
   * @throws PilothouseError LEASE_LOST; MODEL_NOT_CONFIGURED; BUDGET_EXCEEDED when the call could go beyond (it was not made); MODEL_UNAVAILABLE;
   * MODEL_REFUSED, MODEL_INVALID (on record, when it was paid for)
   */
  call(asked: AskedModel, signal: AbortSignal): Promise<ModelAnswer> {
    const { clock, log } = this.options;
    const context = { signal, deadline: clock.monotonic() + asked.withinMs, log, said: asked.said };
    const { run } = asked;
    // Its place is taken before anything is waited for: who asked first is answered first.
    const before = this.calls.get(run) ?? Promise.resolve();
    const turn = this.inTurn(asked, before, context);
    const settled = Promise.allSettled([before, turn]);
    this.calls.set(run, settled);
    void settled.then(() => {
      if (this.calls.get(run) === settled) this.calls.delete(run);
    });
    return turn;
  }

  /** In a run that has a budget a call waits until those before it are on record. */
  private async inTurn(asked: AskedModel, before: Promise<unknown>, context: ModelContext): Promise<ModelAnswer> {
    const caller = await this.caller(asked);
    const { budget } = caller;
    const isBound = budget.tokens !== undefined || budget.usd !== undefined;
    if (isBound) await before;
    // What nobody waits for any more is not paid for.
    if (this.options.clock.monotonic() >= context.deadline)
      throw new PilothouseError('MODEL_UNAVAILABLE', 'The calls of the run before it took all of its time');
    // What the calls before took counts.
    return this.answer(asked, isBound ? await this.caller(asked) : caller, context);
  }

  private async answer(asked: AskedModel, caller: ModelCaller, context: ModelContext): Promise<ModelAnswer> {
    const { fallback } = this.options;
    const { role } = asked.request;
    const choice = choiceOf(role, caller.models, fallback);
    const named =
      imagesOf(asked.request).length > 0 ? choice?.use.filter((name) => this.takesImages(name)) : choice?.use;
    if (!choice || !named || named.length === 0) {
      throw new PilothouseError(
        'MODEL_NOT_CONFIGURED',
        `No model ${choice ? 'that takes images ' : ''}is set for "${role}": set one for the project, or PILOTHOUSE_MODEL for the API`,
      );
    }
    const made = new CallsInFlight();
    const models = named.map((name) => this.within(name, caller, asked, made));
    const { hedgeMs } = choice;
    const model =
      hedgeMs === undefined ? chain(models) : hedged(chain(models), chain(models.slice(1 % models.length)), hedgeMs);
    const answer = await model.generate(asChosen(asked.request, choice), context);
    if (answer.finish !== 'safety') return answer;
    throw new PilothouseError('MODEL_REFUSED', 'The provider of the model blocked the answer');
  }

  /** One that nobody can ask is for who asks to say. @param name `endpoint/model` */
  private takesImages(name: string): boolean {
    try {
      return abilitiesOf(this.options.providers.find(name).ref).sees;
    } catch {
      return true;
    }
  }

  private async caller(asked: AskedModel): Promise<ModelCaller> {
    const caller = await modelCallerOf(this.options.pool, asked);
    if (!caller) throw lost();
    return caller;
  }

  /** The model, measured, with its calls on record, and not asked when the call could go beyond the budget. */
  private within(name: string, caller: ModelCaller, asked: AskedModel, made: CallsInFlight): Model {
    const { providers, metrics, months, clock } = this.options;
    const { budget, usedTokens, usedUsd, traced } = caller;
    return {
      generate: async (request, context) => {
        const { ref, model } = providers.find(name);
        const cost = estimate(ref, request);
        const over = overModelBudget(budget, made.with({ tokens: usedTokens, usd: usedUsd }), cost);
        if (over) throw over;
        const landed = made.began(cost);
        const held = await this.hold(caller, cost, context.deadline - clock.monotonic()).catch((thrown: unknown) => {
          landed();
          throw thrown;
        });
        const call = { ...asked, request, project: caller.project, held };
        const began = clock.monotonic();
        let answer: ModelAnswer;
        try {
          answer = await model.generate(request, context);
        } catch (thrown) {
          if (thrown instanceof UnusableAnswer) {
            metrics?.answered(ref, request, thrown.answer, 'invalid');
            await this.record(call, thrown.answer, 'invalid', traced);
          } else if (isOutrun(context)) {
            // The provider has taken the prompt; how much of an answer it had made nobody knows.
            const given = outrun(ref, cost, clock.monotonic() - began);
            metrics?.answered(ref, request, given, 'outrun');
            await this.record(call, given, 'outrun', false);
          } else {
            const error = toPilothouseError(thrown);
            metrics?.failed(ref, request, error.code);
            const ms = Math.round(clock.monotonic() - began);
            // What was asked too long was asked all the same: the provider may have taken the prompt.
            const { tokens, usd } = clock.monotonic() < context.deadline ? { tokens: 0, usd: 0 } : cost.input;
            await months.settle(caller.project, held, { tokens, usd: usd ?? 0 });
            await this.recordFailure(call, ref, error, ms).catch((failed: unknown) =>
              this.options.log.warn(
                { run: asked.run, error: String(failed) },
                'It is not noted that a model gave no answer',
              ),
            );
          }
          throw thrown;
        } finally {
          landed();
        }
        metrics?.answered(ref, request, answer, answer.finish);
        await this.record(call, answer, answer.finish, traced);
        return answer;
      },
    };
  }

  /** Room in the month of the project; null: it has no budget. @throws PilothouseError BUDGET_EXCEEDED when there is none */
  private async hold(caller: ModelCaller, { tokens, usd }: Estimate, withinMs: number): Promise<Held | null> {
    const { project, projectName, month } = caller;
    if (!month) return null;
    const { months } = this.options;
    const isUnknown = month.usd !== undefined && usd === null;
    const held = isUnknown ? null : await months.hold(project, month, { tokens, usd: usd ?? 0 }, withinMs);
    if (held) return held;
    throw overMonth(projectName, month, await months.read(project), { tokens, usd });
  }

  /** A call that brought no answer, for who reads the log of the run: it took time, and another model may have been asked instead. */
  private async recordFailure(
    { run, epoch, session, step, request }: AskedModel,
    ref: ModelRef,
    { code, message }: PilothouseError,
    ms: number,
  ): Promise<void> {
    const model = nameOf(ref);
    const facts = { model, step, role: request.role, rung: rungOfCall(request), code, ms };
    const said = `${model} gave no answer in ${ms} ms: ${message.slice(0, MAX_SAID)}`;
    const events = [makeEvent('log', said, { facts }, this.options.clock.now(), 'warn')];
    await this.options.writer.write({ run, guard: { from: ['running', 'awaiting_user'], epoch, session }, events });
  }

  /** What was paid for counts, whoever holds the run by now; a run that has ended says no more about it. */
  private async record(call: MadeCall, answer: ModelAnswer, finish: Finish, traced: boolean): Promise<void> {
    const { run, epoch, session, step, request, project, held } = call;
    const { writer, months, clock, traces } = this.options;
    const { provider, model, dialect, usage, usd } = answer;
    const took = { tokens: usage.inputTokens + usage.outputTokens, usd: usd ?? 0 };
    await months.settle(project, held, took);
    const trace = traced
      ? await traces?.keep({ ...call, request: toldOf(request, answer) }, answer, finish)
      : undefined;
    const ms = Math.round(answer.ms);
    const data = {
      step,
      role: request.role,
      rung: rungOfCall(request),
      provider,
      model,
      prompt: request.prompt,
      ...(dialect && dialect !== 'calls' && { dialect }),
      ms,
      ...usage,
      usd,
      finish,
      ...(trace && { trace: trace.id }),
    };
    const said = `${provider}/${model} took ${usage.inputTokens} tokens and gave ${usage.outputTokens} in ${ms} ms`;
    const called = makeEvent('model.called', said, data, clock.now(), finish === 'invalid' ? 'warn' : 'info');
    const events = [...(trace?.events ?? []), called];
    const used = { calls: 1, ...took };
    const holder = { from: ['running', 'awaiting_user'] as const, epoch, session };
    if (await writer.write({ run, guard: holder, used, events })) return;
    const isOpen = await writer.write({ run, guard: { from: ['queued', 'running', 'awaiting_user'] }, used, events });
    if (!isOpen) await writer.write({ run, guard: { from: ['completed', 'failed', 'cancelled'] }, used });
    throw lost();
  }
}

/** The request as the model was sent it. */
function toldOf(request: ModelRequest, { dialect, form }: Pick<ModelAnswer, 'dialect' | 'form'>): ModelRequest {
  if (form === 'words') return formInWords(request);
  return dialect && dialect !== 'calls' && request.tools ? inWords(request, dialect).request : request;
}

/** What calls of one question may come to that have not ended. */
class CallsInFlight {
  private tokens = 0;
  private usd = 0;

  /** @returns to be called once it has ended */
  began({ tokens, usd }: Estimate): () => void {
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

/** An answer that did not come: what is known of it is the prompt. */
const outrun = ({ provider, model }: ModelRef, { input }: Estimate, ms: number): ModelAnswer => ({
  text: '',
  calls: [],
  finish: 'stop',
  provider,
  model,
  usage: { inputTokens: input.tokens, outputTokens: 0, cachedTokens: 0 },
  usd: input.usd,
  ms,
});

const lost = () => new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
