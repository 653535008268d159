import {
  makeEvent,
  PilothouseError,
  type EventData,
  type FromWorkerOf,
  type ModelAnswer,
  type ModelRequest,
} from '@pilothouse/contract';
import { formInWords, inWords, rungOfCall, type Clock, type Log, type ModelContext } from '@pilothouse/core';
import {
  isOnRecord,
  throughOutage,
  type Held,
  type ModelAmount,
  type ModelMonths,
  type OutageLimit,
  type Pool,
  type RunWrite,
  type RunWriter,
} from '@pilothouse/infra-db';
import { nameOf, type ModelRef } from '@pilothouse/model';
import type { ModelTraces } from './model.traces.ts';

/** A request of an attempt, and the session that holds it. */
export interface AskedModel extends Pick<FromWorkerOf<'model.request'>, 'run' | 'epoch' | 'step' | 'withinMs'> {
  readonly request: ModelRequest;
  readonly session: string;
  /** Called while the model speaks, as `ModelContext.said`. */
  readonly said?: ModelContext['said'];
}

/** A call that was made. */
export interface MadeCall extends AskedModel {
  readonly project: string;
  /** Room that it has in the month of the project. */
  readonly held: Held | null;
}

export type Finish = EventData<'model.called'>['finish'];

export interface ModelRecordsOptions {
  readonly pool: Pool;
  readonly writer: Pick<RunWriter, 'write'>;
  /** Counts what calls take of their projects. */
  readonly months: Pick<ModelMonths, 'settle'>;
  /** Keeps prompts and answers of runs that want it; without it nobody does. */
  readonly traces?: Pick<ModelTraces, 'keep'>;
  /** Makes identifiers. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Characters of why a call failed. */
const MAX_SAID = 400;

/** Milliseconds for which PostgreSQL may be away when something was paid for: longer than that nobody waits for the answer of a model. */
const OUTAGE_MS = 120_000;

/** Writes down what calls took, each once. */
export class ModelRecords {
  private readonly options: ModelRecordsOptions;

  constructor(options: ModelRecordsOptions) {
    this.options = options;
  }

  /**
   * What was paid for counts, whoever holds the run by now; a run that has ended says no more about it.
   * @throws PilothouseError LEASE_LOST when it was written, and the attempt does not hold the run; UNAVAILABLE when it could not be written
   */
  async called(call: MadeCall, answer: ModelAnswer, finish: Finish, traced: boolean): Promise<void> {
    const { run, epoch, session, step, request } = call;
    const { clock, traces } = this.options;
    const { provider, model, dialect, usage, usd } = answer;
    const took = { tokens: usage.inputTokens + usage.outputTokens, usd: usd ?? 0 };
    await this.settled(call, took);
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
    if (await this.written({ run, guard: holder, used, events })) return;
    const isOpen = await this.written({ run, guard: { from: ['queued', 'running', 'awaiting_user'] }, used, events });
    if (!isOpen) await this.written({ run, guard: { from: ['completed', 'failed', 'cancelled'] }, used });
    throw lost();
  }

  /** Counts what a call took in the month of its project, and gives back the room that it had. @throws PilothouseError UNAVAILABLE */
  async settled({ project, held }: Pick<MadeCall, 'project' | 'held'>, took: ModelAmount): Promise<void> {
    const { months, newId } = this.options;
    const isCounted = took.tokens > 0 || took.usd > 0;
    if (!isCounted && held === null) return;
    await months.settle(isCounted ? newId() : null, project, held, took, this.limit());
  }

  /** A call that brought no answer, for who reads the log of the run: it took time, and another model may have been asked instead. */
  async failed(
    { run, epoch, session, step, request }: AskedModel,
    ref: ModelRef,
    { code, message }: PilothouseError,
    ms: number,
  ): Promise<void> {
    const { writer, clock, log } = this.options;
    const model = nameOf(ref);
    const facts = { model, step, role: request.role, rung: rungOfCall(request), code, ms };
    const said = `${model} gave no answer in ${ms} ms: ${message.slice(0, MAX_SAID)}`;
    const events = [makeEvent('log', said, { facts }, clock.now(), 'warn')];
    try {
      await writer.write({ run, guard: { from: ['running', 'awaiting_user'], epoch, session }, events });
    } catch (error) {
      log.warn({ run, error: String(error) }, 'It is not noted that a model gave no answer');
    }
  }

  /** @returns whether the guard fits. What a run that has ended took may be counted twice where the answer to its write was lost. */
  private written(write: RunWrite): Promise<boolean> {
    const { pool, writer } = this.options;
    const called = write.events?.at(-1);
    return throughOutage(async (again) => {
      if (again && called && (await isOnRecord(pool, write.run, called))) return true;
      return (await writer.write(write)) !== null;
    }, this.limit());
  }

  private limit(): OutageLimit {
    const { clock } = this.options;
    return { clock, deadline: clock.monotonic() + OUTAGE_MS };
  }
}

/** The request as the model was sent it. */
function toldOf(request: ModelRequest, { dialect, form }: Pick<ModelAnswer, 'dialect' | 'form'>): ModelRequest {
  if (form === 'words') return formInWords(request);
  return dialect && dialect !== 'calls' && request.tools ? inWords(request, dialect).request : request;
}

export const lost = () => new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
