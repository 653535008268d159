import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_THOUGHT } from '@pilothouse/contract/events/agent.events';
import { MAX_PARALLEL_MODEL_CALLS, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type { ModelCallService } from '../../models/model-call.service.ts';
import { WorkerSession, type WorkerChannel } from '../socket/worker-session.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/**
 * Passes on the latest value: the first one at once, later ones at most every `everyMs`. Without a new value, the last one is repeated
 * after `repeatMs`, for a receiver that connected meanwhile. Passes on nothing after `stop`.
 */
export function throttleLatest<Value>(
  everyMs: number,
  repeatMs: number,
  onValue: (value: Value) => void,
  timers: Timers = systemTimers,
) {
  let latest: { readonly value: Value; isForwarded: boolean } | undefined;
  let forwardedAtMs = 0;
  let timer: Timer | undefined;
  let isStopped = false;
  const tick = () => {
    timer = timers.setTimeout(tick, everyMs).unref();
    const now = timers.monotonic();
    if (!latest || (latest.isForwarded && now - forwardedAtMs < repeatMs)) return;
    latest.isForwarded = true;
    forwardedAtMs = now;
    onValue(latest.value);
  };
  return {
    push: (value: Value): void => {
      if (isStopped) return;
      latest = { value, isForwarded: false };
      if (!timer) tick();
    },
    stop: (): void => {
      isStopped = true;
      timers.clearTimeout(timer);
    },
  };
}

type Request = FromWorkerOf<'model.request'>;
type Response = ToWorkerOf<'model.response'>;
type RequestWithImages = Omit<Request, 'request'> & { request: ModelRequest };

/** Time for which a response is kept for a worker that repeats its request after a lost connection. */
const RESPONSE_TTL_MS = 20_000;

/** Intervals between partial responses with new text, and between repeated ones. */
const PARTIAL_INTERVAL_MS = 250;
const REPEAT_PARTIAL_INTERVAL_MS = 1_000;

/** A connection with more cached images, in base64 characters, is closed; its worker opens another one. */
const MAX_CACHED_IMAGE_CHARS = 32_000_000;

/** Calls models for workers. A request that is repeated on another connection is not sent to a model twice. */
export class ModelRequests {
  private readonly models: Pick<ModelCallService, 'call'>;
  /** By request; `socket` receives the partial responses. */
  private readonly calls = new Map<string, { readonly response: Promise<Response>; socket: WorkerSocket }>();
  /** Number of calls in progress, by run. */
  private readonly callsInProgress = new Map<string, number>();
  private readonly closing = new AbortController();

  constructor(models: Pick<ModelCallService, 'call'>) {
    this.models = models;
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run, RATE_LIMITED, and as `ModelCallService.call` */
  call(channel: WorkerChannel, message: Request): Promise<Response> {
    const { id: session, socket, images } = channel;
    const request = images.restoreImages(message, message.request);
    if (images.size > MAX_CACHED_IMAGE_CHARS) socket.close(1013, 'Too many images in this session; reconnect');
    // For a bulk channel the store checks whether the session holds the run. A kept response belongs to the session.
    if (channel instanceof WorkerSession) channel.attempts.require(message);
    const { id, run, epoch } = message;
    const key = `${session}/${run}/${epoch}/${id}`;
    const call = this.calls.get(key);
    if (call) {
      call.socket = socket;
      return call.response;
    }
    this.startCall(run);
    const partial = throttleLatest(PARTIAL_INTERVAL_MS, REPEAT_PARTIAL_INTERVAL_MS, (text: string) => {
      this.calls.get(key)?.socket.send({ type: 'model.partial', id, text: text.slice(0, MAX_THOUGHT) });
    });
    const response = this.callModel(session, { ...message, request }, message.streamPartial ? partial.push : undefined);
    this.calls.set(key, { response, socket });
    const onSettled = () => {
      partial.stop();
      this.endCall(run);
      systemTimers.setTimeout(() => this.calls.delete(key), RESPONSE_TTL_MS).unref();
    };
    void response.then(onSettled, onSettled);
    return response;
  }

  /** Aborts the calls in progress: their workers send them to another gateway. */
  close(): void {
    this.closing.abort(new PilothouseError('UNAVAILABLE', 'The gateway is shutting down'));
  }

  private startCall(run: string): void {
    const inProgress = this.callsInProgress.get(run) ?? 0;
    if (inProgress >= MAX_PARALLEL_MODEL_CALLS)
      throw new PilothouseError('RATE_LIMITED', `A run can have ${MAX_PARALLEL_MODEL_CALLS} model calls at a time`);
    this.callsInProgress.set(run, inProgress + 1);
  }

  private endCall(run: string): void {
    const inProgress = (this.callsInProgress.get(run) ?? 1) - 1;
    if (inProgress > 0) this.callsInProgress.set(run, inProgress);
    else this.callsInProgress.delete(run);
  }

  private async callModel(
    session: string,
    { id, run, epoch, step, request, timeoutMs }: RequestWithImages,
    onPartial: ModelContext['onText'],
  ): Promise<Response> {
    const call = { run, epoch, session, step, request, timeoutMs, onText: onPartial };
    return { type: 'model.response', id, answer: await this.models.call(call, this.closing.signal) };
  }
}
