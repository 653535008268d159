import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventData } from '@pilothouse/contract/events/event-log.schema';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import { toTextDialectRequest } from '@pilothouse/core/agent/prompts/text-dialect-request';
import { tierOfCall } from '@pilothouse/core/model/request-images';
import { withJsonInstructions } from '@pilothouse/core/model/structured-output';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import {
  RECORD_RETRY_MS,
  isEventStored,
  retryWhileUnavailable,
  type SpendReservation,
  type ModelSpend,
  type ModelSpendStore,
  type RetryDeadline,
  type Pool,
  type RunWrite,
  type RunWriter,
} from '@pilothouse/infra-db';
import { fullModelName, type ModelRef } from '@pilothouse/model';
import type { ModelCallTraces } from './model-call-traces.ts';

/** A request of an attempt, and the session that holds it. */
export interface ModelCallRequest extends Pick<FromWorkerOf<'model.request'>, 'run' | 'epoch' | 'step' | 'timeoutMs'> {
  readonly request: ModelRequest;
  readonly session: string;
  /** Called with partial text, as `ModelContext.onText`. */
  readonly onText?: ModelContext['onText'];
}

/** A call with its budget reservation. */
export interface RecordedCall extends ModelCallRequest {
  readonly project: string;
  /** Reservation in the monthly budget of the project; null without a budget. */
  readonly reservation: SpendReservation | null;
}

export type ModelFinishReason = EventData<'model.called'>['finish'];

export interface ModelCallRecordsDeps {
  readonly pool: Pool;
  readonly writer: Pick<RunWriter, 'write'>;
  /** Monthly spend of projects. */
  readonly months: Pick<ModelSpendStore, 'settle'>;
  /** Stores prompts and answers of traced runs. */
  readonly traces?: Pick<ModelCallTraces, 'store'>;
  /** Makes identifiers. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Length of an error message in the run log. */
const MAX_MESSAGE_CHARS = 400;

/** Records the usage and the events of model calls, each exactly once. */
export class ModelCallRecords {
  private readonly options: ModelCallRecordsDeps;

  constructor(options: ModelCallRecordsDeps) {
    this.options = options;
  }

  /**
   * Records the usage of a call, also when another attempt holds the run. A run that has ended gets no event.
   * @throws PilothouseError LEASE_LOST when it was written, and the attempt does not hold the run; UNAVAILABLE when it could not be written
   */
  async recordAnswer(
    call: RecordedCall,
    answer: ModelAnswer,
    finish: ModelFinishReason,
    traced: boolean,
  ): Promise<void> {
    const { run, epoch, session, step, request } = call;
    const { clock, traces } = this.options;
    const { provider, model, dialect, usage, usd, shortened } = answer;
    const spend = { tokens: usage.inputTokens + usage.outputTokens, usd: usd ?? 0 };
    await this.settleBudget(call, spend);
    const trace = traced
      ? await traces?.store({ ...call, request: toSentRequest(request, answer) }, answer, finish)
      : undefined;
    const ms = Math.round(answer.durationMs);
    const data = {
      step,
      role: request.role,
      tier: tierOfCall(request),
      provider,
      model,
      prompt: request.prompt,
      ...(dialect && dialect !== 'calls' && { dialect }),
      durationMs: ms,
      ...usage,
      ...(shortened && { shortened }),
      usd,
      finish,
      ...(trace && { trace: trace.id }),
    };
    const message = `${provider}/${model} used ${usage.inputTokens} input and ${usage.outputTokens} output tokens in ${ms} ms`;
    const event = createEvent('model.called', message, data, clock.now(), finish === 'invalid' ? 'warn' : 'info');
    const events = [...(trace?.events ?? []), event];
    const modelUsage = { calls: 1, ...spend, unpricedCalls: usd === null && spend.tokens > 0 ? 1 : 0 };
    const holder = { from: ['running', 'awaiting_user'] as const, epoch, session };
    if (await this.writeOnce({ run, guard: holder, modelUsage, events })) return;
    const isOpen = await this.writeOnce({
      run,
      guard: { from: ['queued', 'running', 'awaiting_user'] },
      modelUsage,
      events,
    });
    if (!isOpen) await this.writeOnce({ run, guard: { from: ['completed', 'failed', 'cancelled'] }, modelUsage });
    throw leaseLost();
  }

  /** Adds the usage of a call to the monthly spend of its project, and releases its reservation. @throws PilothouseError UNAVAILABLE */
  async settleBudget(
    { project, reservation }: Pick<RecordedCall, 'project' | 'reservation'>,
    spend: ModelSpend,
  ): Promise<void> {
    const { months, newId } = this.options;
    const isCounted = spend.tokens > 0 || spend.usd > 0;
    if (!isCounted && reservation === null) return;
    await months.settle(isCounted ? newId() : null, project, reservation, spend, this.limit());
  }

  /** Logs a failed call in the run log: it took time, and another model may have been called instead. */
  async recordFailure(
    { run, epoch, session, step, request }: ModelCallRequest,
    ref: ModelRef,
    { code, message }: PilothouseError,
    ms: number,
  ): Promise<void> {
    const { writer, clock, log } = this.options;
    const model = fullModelName(ref);
    const facts = { model, step, role: request.role, tier: tierOfCall(request), code, ms };
    const text = `${model} failed after ${ms} ms: ${message.slice(0, MAX_MESSAGE_CHARS)}`;
    const events = [createEvent('run.log', text, { facts }, clock.now(), 'warn')];
    try {
      await writer.write({ run, guard: { from: ['running', 'awaiting_user'], epoch, session }, events });
    } catch (error) {
      log.warn({ run, error: String(error) }, 'failed model call not recorded');
    }
  }

  /** @returns whether the guard fits. Usage of a run that has ended may be counted twice when the answer to a write is lost. */
  private writeOnce(write: RunWrite): Promise<boolean> {
    const { pool, writer } = this.options;
    const event = write.events?.at(-1);
    return retryWhileUnavailable(async (isRetry) => {
      if (isRetry && event && (await isEventStored(pool, write.run, event))) return true;
      return (await writer.write(write)) !== null;
    }, this.limit());
  }

  private limit(): RetryDeadline {
    const { clock } = this.options;
    return { clock, deadline: clock.monotonic() + RECORD_RETRY_MS };
  }
}

/** The request in the form that was sent to the model. */
function toSentRequest(
  request: ModelRequest,
  { dialect, schemaMode }: Pick<ModelAnswer, 'dialect' | 'schemaMode'>,
): ModelRequest {
  if (schemaMode === 'prompt') return withJsonInstructions(request);
  return dialect && dialect !== 'calls' && request.tools ? toTextDialectRequest(request, dialect).request : request;
}

export const leaseLost = () => new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
