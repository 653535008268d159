import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { EventDraft } from '@pilothouse/contract/events/event-log.schema';
import {
  MAX_MODEL_REQUEST_BYTES,
  MAX_MODEL_TIMEOUT_MS,
  type ModelAnswer,
  type ModelRequest,
} from '@pilothouse/contract/model/model.schema';
import { MAX_PARSED_SCREENSHOT_BYTES, type ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Attempt, SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf, AttemptOutcome } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { answersStep, linearStepPath } from '@pilothouse/core/interpreter/step-path';
import { imagesOf } from '@pilothouse/core/model/request-images';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import type { ParserScreenshot, ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import type { AttemptLease } from './attempt-lease.ts';
import type { EventOutbox, EventAttachment } from './event-outbox.ts';
import type { ResponseTypeOf, RpcBody, RpcType, RpcClient } from './rpc-client.ts';

/** A request without its attempt, which the link adds. */
export type AttemptRequest<Type extends RpcType> = Omit<RpcBody<Type>, 'run' | 'epoch'>;

/** A viewer watches the run for the given milliseconds. */
export type ScreencastRequest = Pick<
  ToWorkerOf<'screencast.request'>,
  'durationMs' | 'resendCurrent' | 'framesPerSecond'
>;

/** A person has control of the run, with their inputs. */
export type ControlInput = Pick<
  ToWorkerOf<'control.input'>,
  'token' | 'operator' | 'validMs' | 'sequence' | 'inputs' | 'inspect'
>;

/** Messages for the person in control. */
export type InspectionResult = Pick<FromWorkerOf<'control.inspection'>, 'id' | 'result'>;

interface AttemptLinkDeps {
  /** Called when the outbox has something to send. */
  flush(): void;
  handback(attempt: Attempt, error: ErrorView): void;
  sendSafePoint(attempt: Attempt, safePoint: SafePoint): void;
  release(attempt: Attempt): void;
  sendFrame(attempt: Attempt, jpeg: Buffer): Promise<void>;
  sendInspection(attempt: Attempt, inspection: InspectionResult): void;
  sendThinking(attempt: Attempt, thinking: AgentThinking): void;
  /** True if the gateway answers `screen_parse.request`. */
  hasScreenParser(): boolean;
}

/** The question that an answer belongs to. */
const formatQuestionKey = ({
  step,
  questionNumber = 0,
  controlToken = 0,
}: Pick<RunQuestion, 'step' | 'questionNumber' | 'controlToken'>) => `${step}/${questionNumber}/${controlToken}`;

/** Key of a question. A step at another path with the same number is another question. */
type QuestionKey = Pick<RunQuestion, 'step' | 'path' | 'questionNumber' | 'controlToken'>;

/** The gateway connection of one attempt. */
export class AttemptLink {
  /** The screen parser of the gateway. */
  readonly screenParser: ScreenParser;
  readonly attempt: Attempt;
  readonly lease: AttemptLease;
  private readonly outbox: EventOutbox;
  private readonly requests: RpcClient;
  /** Requests that may have images. */
  private readonly bulkRequests: RpcClient;
  private readonly deps: AttemptLinkDeps;
  private readonly lostController = new AbortController();
  /** Aborts when the attempt can write nothing more: `LEASE_LOST`. A cancelled attempt still writes its outcome. */
  readonly lossSignal = this.lostController.signal;
  private readonly answers = new Map<string, RunAnswer>();
  private readonly listeners = new Set<() => void>();
  private screencastListener: ((request: ScreencastRequest) => void) | undefined;
  private controlListener: ((input: ControlInput) => void) | undefined;

  constructor(
    attempt: Attempt,
    lease: AttemptLease,
    outbox: EventOutbox,
    { requests, bulkRequests }: { requests: RpcClient; bulkRequests: RpcClient },
    deps: AttemptLinkDeps,
  ) {
    this.attempt = attempt;
    this.lease = lease;
    this.outbox = outbox;
    this.requests = requests;
    this.bulkRequests = bulkRequests;
    this.deps = deps;
    const parse: ScreenParser['parse'] = (screenshot, context) => this.parseScreen(screenshot, context);
    this.screenParser = {
      get isAvailable() {
        return deps.hasScreenParser();
      },
      parse,
    };
  }

  /**
   * Writes events, and finally the outcome, which ends the attempt. A safe point or a question is attached to the events. Once the question
   * is durable the run waits for a person; `answer` returns the reply.
   * @returns when they are durable
   * @throws PilothouseError LEASE_LOST when the attempt lost its run, PAYLOAD_TOO_LARGE (nothing was written)
   */
  async append(events: readonly EventDraft[], outcome?: AttemptOutcome, attachment?: EventAttachment): Promise<void> {
    const durableWrite = this.outbox.append(events, outcome, attachment);
    this.deps.flush();
    await durableWrite;
    if (outcome) this.release();
  }

  /**
   * Sends a safe point before the events that it will be attached to, because these may be late. It may be lost with the connection, and is
   * skipped if other events came between. It must be attached to the events in any case.
   */
  sendSafePoint(safePoint: SafePoint): void {
    if (!this.lossSignal.aborted) this.deps.sendSafePoint(this.attempt, safePoint);
  }

  /**
   * Waits for the answer to the question of a step or of its agent, or for the release of control.
   * @throws the reason of the signal, or for which the attempt was lost
   */
  waitForAnswer(question: QuestionKey, signal: AbortSignal): Promise<RunAnswer> {
    const { step, path = linearStepPath(step) } = question;
    return new Promise((resolve, reject) => {
      const endSignal = AbortSignal.any([signal, this.lossSignal, this.lease.endSignal]);
      const settle = () => {
        const latestAnswer = this.answers.get(formatQuestionKey(question));
        const answer = latestAnswer && answersStep(latestAnswer, { number: step, path }) ? latestAnswer : undefined;
        if (!answer && !endSignal.aborted) return;
        this.listeners.delete(settle);
        endSignal.removeEventListener('abort', settle);
        if (answer) resolve(answer);
        else reject(endSignal.reason as Error);
      };
      this.listeners.add(settle);
      endSignal.addEventListener('abort', settle, { once: true });
      settle();
    });
  }

  /** Delivers an answer; called repeatedly. */
  receiveAnswer(answer: RunAnswer): void {
    this.answers.set(formatQuestionKey(answer), answer);
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` for each renewed request of a viewer. */
  onScreencastRequest(listener: (request: ScreencastRequest) => void): void {
    this.screencastListener = listener;
  }

  /** Delivers a viewer request. */
  receiveScreencastRequest(request: ScreencastRequest): void {
    this.screencastListener?.(request);
  }

  /** Calls `listener` with the inputs of the person in control, in order. */
  onControlInput(listener: (input: ControlInput) => void): void {
    this.controlListener = listener;
  }

  /** Delivers manual control. */
  receiveControlInput(input: ControlInput): void {
    this.controlListener?.(input);
  }

  /** Sends a frame to the viewers. Resolves when it is sent or dropped. */
  async sendFrame(jpeg: Buffer): Promise<void> {
    if (!this.lossSignal.aborted) await this.deps.sendFrame(this.attempt, jpeg);
  }

  /** Answers the person in control. If it is lost with its connection, they ask again. */
  sendInspection(inspection: InspectionResult): void {
    if (!this.lossSignal.aborted) this.deps.sendInspection(this.attempt, inspection);
  }

  /** Sends thinking of the agent. Dropped if the socket is full or closed. */
  sendThinking(thinking: AgentThinking): void {
    if (!this.lossSignal.aborted) this.deps.sendThinking(this.attempt, thinking);
  }

  /** Sends a request to the gateway. @throws as `RpcClient.call`; LEASE_LOST when the attempt lost its run meanwhile */
  async request<Type extends RpcType>(
    type: Type,
    body: Omit<AttemptRequest<Type>, 'type'>,
    context: Pick<ModelContext, 'signal' | 'deadline' | 'onText'>,
    client = this.requests,
  ): Promise<ToWorkerOf<ResponseTypeOf[Type]>> {
    const message = { type, ...this.attempt, ...body } as unknown as RpcBody<Type>;
    const signal = AbortSignal.any([context.signal, this.lossSignal]);
    return client.call<Type>(message, { signal, deadline: context.deadline }, context.onText);
  }

  /**
   * Calls a model through the gateway; with images over the bulk channel. Waits at most `MAX_MODEL_TIMEOUT_MS`, whatever the deadline.
   * @param step number of the step that calls
   * @param context `onText` is called with parts of the response, if the request asks for a stream
   * @throws PilothouseError PAYLOAD_TOO_LARGE (nothing was sent), MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, MODEL_INVALID,
   *   BUDGET_EXCEEDED (the call was not made), and as `RpcClient.call`
   */
  async callModel(
    step: number | null,
    request: ModelRequest,
    { signal, deadline, onText }: Pick<ModelContext, 'signal' | 'deadline' | 'onText'>,
  ): Promise<ModelAnswer> {
    const size = Buffer.byteLength(JSON.stringify(request));
    if (size > MAX_MODEL_REQUEST_BYTES)
      throw new PilothouseError(
        'PAYLOAD_TOO_LARGE',
        `A model request can have ${MAX_MODEL_REQUEST_BYTES} bytes with its images; this one has ${size}`,
      );
    const modelDeadline = this.requests.earlierDeadline(deadline, MAX_MODEL_TIMEOUT_MS);
    const leftMs = this.requests.msUntil(modelDeadline);
    // The gateway times out first: its error says more than a missing response.
    const timeoutMs = Math.max(1, Math.floor(leftMs - Math.min(1_000, leftMs / 10)));
    const client = imagesOf(request).length > 0 ? this.bulkRequests : this.requests;
    const body = { step, request, timeoutMs, ...(onText && { streamPartial: true }) };
    return (await this.request('model.request', body, { signal, deadline: modelDeadline, onText }, client)).answer;
  }

  /** Returns the run to the queue. A connection that breaks now does no harm: the next `hello` does not name the attempt. */
  handback(error: ErrorView): void {
    if (this.lossSignal.aborted) return;
    this.deps.handback(this.attempt, error);
    this.markLost(new PilothouseError('LEASE_LOST', 'The run was handed back'));
  }

  /** Called when another worker has the run: stops acting and writing. */
  markLost(reason: PilothouseError): void {
    if (this.lossSignal.aborted) return;
    this.lostController.abort(reason);
    this.outbox.fail(reason);
    this.lease.end(reason);
    this.release();
  }

  private async parseScreen(
    { jpeg }: ParserScreenshot,
    context: Pick<ModelContext, 'signal' | 'deadline'>,
  ): Promise<readonly ParsedElement[]> {
    if (jpeg.length > MAX_PARSED_SCREENSHOT_BYTES)
      throw new PilothouseError(
        'PAYLOAD_TOO_LARGE',
        `A screenshot to parse can have ${MAX_PARSED_SCREENSHOT_BYTES} bytes`,
      );
    const body = { jpeg: jpeg.toString('base64') };
    return (await this.request('screen_parse.request', body, context, this.bulkRequests)).elements;
  }

  private release(): void {
    this.lease.close();
    this.deps.release(this.attempt);
  }
}
