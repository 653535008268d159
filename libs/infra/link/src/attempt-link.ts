import {
  MAX_MODEL_REQUEST_BYTES,
  MODEL_TIMEOUT_MS,
  PilothouseError,
  type RunAnswer,
  type Attempt,
  type ErrorView,
  type EventDraft,
  type FromWorkerOf,
  type ModelAnswer,
  type ModelRequest,
  type AttemptOutcome,
  type RunQuestion,
  type SafePoint,
  type AgentThinking,
  type ToWorkerOf,
} from '@pilothouse/contract';
import { imagesOf, answersStep, linearStepPath, type ModelContext } from '@pilothouse/core';
import type { AttemptLease } from './attempt-lease.ts';
import type { EventOutbox, EventAttachment } from './event-outbox.ts';
import type { ResponseTypeOf, RpcBody, RpcType, RpcClient } from './rpc-client.ts';

/** A request of an attempt: the attempt itself is added. */
export type AttemptRequest<Type extends RpcType> = Omit<RpcBody<Type>, 'run' | 'epoch'>;

/** Somebody looks at the run, for so many milliseconds from now. */
export type ScreencastRequest = Pick<ToWorkerOf<'screencast.request'>, 'durationMs' | 'resendCurrent'>;

/** Somebody has the wheel of the run, and what they did. */
export type ControlInput = Pick<
  ToWorkerOf<'control.input'>,
  'token' | 'operator' | 'validMs' | 'sequence' | 'inputs' | 'inspect'
>;

/** What whoever drives is shown. */
export type InspectionResult = Pick<FromWorkerOf<'control.inspection'>, 'id' | 'result'>;

interface Ways {
  /** Something waits in the outbox. */
  pump(): void;
  handback(attempt: Attempt, error: ErrorView): void;
  sendSafePoint(attempt: Attempt, saved: SafePoint): void;
  release(attempt: Attempt): void;
  sendFrame(attempt: Attempt, jpeg: Buffer): Promise<void>;
  sendInspection(attempt: Attempt, sight: InspectionResult): void;
  sendThinking(attempt: Attempt, thinking: AgentThinking): void;
}

/** Which question an answer belongs to. */
const keyOf = ({
  step,
  questionNumber = 0,
  controlToken = 0,
}: Pick<RunQuestion, 'step' | 'questionNumber' | 'controlToken'>) => `${step}/${questionNumber}/${controlToken}`;

/** What names a question: that its step has another place, with the same number, makes it another. */
type Asked = Pick<RunQuestion, 'step' | 'path' | 'questionNumber' | 'controlToken'>;

/** What an attempt at a run may ask of the link, and what it is told. */
export class AttemptLink {
  readonly attempt: Attempt;
  readonly lease: AttemptLease;
  private readonly outbox: EventOutbox;
  private readonly requests: RpcClient;
  /** Those that have images. */
  private readonly bulkRequests: RpcClient;
  private readonly ways: Ways;
  private readonly gone = new AbortController();
  /** Aborts when the attempt can write nothing more: `LEASE_LOST`. A cancelled attempt still says how it ended. */
  readonly lost = this.gone.signal;
  private readonly answers = new Map<string, RunAnswer>();
  private readonly listeners = new Set<() => void>();
  private onWatch: ((watching: ScreencastRequest) => void) | undefined;
  private onDrive: ((driven: ControlInput) => void) | undefined;

  constructor(
    attempt: Attempt,
    lease: AttemptLease,
    outbox: EventOutbox,
    { requests, bulkRequests }: { requests: RpcClient; bulkRequests: RpcClient },
    ways: Ways,
  ) {
    this.attempt = attempt;
    this.lease = lease;
    this.outbox = outbox;
    this.requests = requests;
    this.bulkRequests = bulkRequests;
    this.ways = ways;
  }

  /**
   * Writes events, and at the last the outcome, after which the attempt is over. A safe point or a question rides with the events;
   * once the question is durable the run waits for a person, and `answer` is what they said.
   * @returns when they are durable
   * @throws PilothouseError LEASE_LOST when the attempt lost its run, PAYLOAD_TOO_LARGE (nothing was written)
   */
  async append(events: readonly EventDraft[], outcome?: AttemptOutcome, rider?: EventAttachment): Promise<void> {
    const durable = this.outbox.append(events, outcome, rider);
    this.ways.pump();
    await durable;
    if (outcome) this.release();
  }

  /**
   * Sends a safe point ahead of the events that it will ride with, because they may be long in coming. It may be lost with the
   * connection, and is left out where other events came between: it has to ride with the events all the same.
   */
  sendSafePoint(saved: SafePoint): void {
    if (!this.lost.aborted) this.ways.sendSafePoint(this.attempt, saved);
  }

  /**
   * What a person answered to the question about a step, or of an agent in it, or that they gave the wheel back.
   * @throws the reason of the signal, or for which the attempt was lost
   */
  waitForAnswer(question: Asked, signal: AbortSignal): Promise<RunAnswer> {
    const { step, path = linearStepPath(step) } = question;
    return new Promise((resolve, reject) => {
      const ends = AbortSignal.any([signal, this.lost, this.lease.endSignal]);
      const settle = () => {
        const told = this.answers.get(keyOf(question));
        const answer = told && answersStep(told, { number: step, path }) ? told : undefined;
        if (!answer && !ends.aborted) return;
        this.listeners.delete(settle);
        ends.removeEventListener('abort', settle);
        if (answer) resolve(answer);
        else reject(ends.reason as Error);
      };
      this.listeners.add(settle);
      ends.addEventListener('abort', settle, { once: true });
      settle();
    });
  }

  /** A person answered; told more than once. */
  receiveAnswer(answer: RunAnswer): void {
    this.answers.set(keyOf(answer), answer);
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` whenever somebody looks at the run, again and again as long as they do. */
  onScreencastRequest(listener: (watching: ScreencastRequest) => void): void {
    this.onWatch = listener;
  }

  /** Somebody looks. */
  watch(watching: ScreencastRequest): void {
    this.onWatch?.(watching);
  }

  /** Calls `listener` with what somebody at the wheel does, in order. */
  onControlInput(listener: (driven: ControlInput) => void): void {
    this.onDrive = listener;
  }

  /** Somebody drives. */
  drive(driven: ControlInput): void {
    this.onDrive?.(driven);
  }

  /** Shows a frame to who looks. Resolves when it is on its way, or will never be. */
  async sendFrame(jpeg: Buffer): Promise<void> {
    if (!this.lost.aborted) await this.ways.sendFrame(this.attempt, jpeg);
  }

  /** Answers what whoever drives asked; lost with its connection, it is asked again. */
  sendInspection(sight: InspectionResult): void {
    if (!this.lost.aborted) this.ways.sendInspection(this.attempt, sight);
  }

  /** Says what the agent is thinking; lost where the socket is full or away. */
  sendThinking(thinking: AgentThinking): void {
    if (!this.lost.aborted) this.ways.sendThinking(this.attempt, thinking);
  }

  /** Asks the gateway for something. @throws as `RpcClient.ask`; LEASE_LOST when the attempt lost its run meanwhile */
  async request<Type extends RpcType>(
    type: Type,
    body: Omit<AttemptRequest<Type>, 'type'>,
    context: Pick<ModelContext, 'signal' | 'deadline' | 'said'>,
    by = this.requests,
  ): Promise<ToWorkerOf<ResponseTypeOf[Type]>> {
    const message = { type, ...this.attempt, ...body } as unknown as RpcBody<Type>;
    const signal = AbortSignal.any([context.signal, this.lost]);
    return by.call<Type>(message, { signal, deadline: context.deadline }, context.said);
  }

  /**
   * Asks a model, by way of the gateway; with images over a second socket. An answer later than `MODEL_TIMEOUT_MS` is not waited for, whatever the deadline.
   * @param step number of the step that asks
   * @param context `said` is called while the model speaks, where it is asked for its answer piece by piece
   * @throws PilothouseError PAYLOAD_TOO_LARGE (nothing was sent), MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, MODEL_INVALID,
   * BUDGET_EXCEEDED (the call was not made), and as `ask`
   */
  async callModel(
    step: number | null,
    request: ModelRequest,
    { signal, deadline, said }: Pick<ModelContext, 'signal' | 'deadline' | 'said'>,
  ): Promise<ModelAnswer> {
    const size = Buffer.byteLength(JSON.stringify(request));
    if (size > MAX_MODEL_REQUEST_BYTES)
      throw new PilothouseError(
        'PAYLOAD_TOO_LARGE',
        `A request to a model has at most ${MAX_MODEL_REQUEST_BYTES} bytes with its images; this one has ${size}`,
      );
    const until = this.requests.earlierDeadline(deadline, MODEL_TIMEOUT_MS);
    const left = this.requests.msUntil(until);
    // The gateway gives up first: what it says is worth more than that it said nothing.
    const timeoutMs = Math.max(1, Math.floor(left - Math.min(1_000, left / 10)));
    const by = imagesOf(request).length > 0 ? this.bulkRequests : this.requests;
    const body = { step, request, timeoutMs, ...(said && { streamPartial: true }) };
    return (await this.request('model.request', body, { signal, deadline: until, said }, by)).answer;
  }

  /** Gives the run back. A connection that breaks now is no harm: the next `hello` does not name the attempt. */
  handback(error: ErrorView): void {
    if (this.lost.aborted) return;
    this.ways.handback(this.attempt, error);
    this.markLost(new PilothouseError('LEASE_LOST', 'The run was handed back'));
  }

  /** The run belongs to somebody else: stop acting, write nothing more. */
  markLost(reason: PilothouseError): void {
    if (this.lost.aborted) return;
    this.gone.abort(reason);
    this.outbox.fail(reason);
    this.lease.end(reason);
    this.release();
  }

  private release(): void {
    this.lease.close();
    this.ways.release(this.attempt);
  }
}
