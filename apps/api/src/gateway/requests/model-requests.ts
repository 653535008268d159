import { type ModelContext, type Timer, type Timers, systemTimers } from '@pilothouse/core';
import {
  MAX_THOUGHT,
  MAX_PARALLEL_MODEL_CALLS,
  PilothouseError,
  type FromWorkerOf,
  type ModelRequest,
  type ToWorkerOf,
} from '@pilothouse/contract';
import type { ModelCallService } from '../../models/model-call.service.ts';
import { requireHeldAttempt } from './transfer-requests.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/**
 * Passes on the newest of what is given: the first at once, then what is new at most every so many milliseconds, and the last once more after a
 * while without anything new, for who came meanwhile. Nothing after the end.
 */
export function throttleLatest<Value>(
  everyMs: number,
  againMs: number,
  pass: (value: Value) => void,
  timers: Timers = systemTimers,
) {
  let newest: { readonly value: Value; isTold: boolean } | undefined;
  let toldAt = 0;
  let timer: Timer | undefined;
  let isOver = false;
  const tick = () => {
    timer = timers.setTimeout(tick, everyMs).unref();
    const now = timers.monotonic();
    if (!newest || (newest.isTold && now - toldAt < againMs)) return;
    newest.isTold = true;
    toldAt = now;
    pass(newest.value);
  };
  return {
    give: (value: Value): void => {
      if (isOver) return;
      newest = { value, isTold: false };
      if (!timer) tick();
    },
    end: (): void => {
      isOver = true;
      timers.clearTimeout(timer);
    },
  };
}

type Asked = FromWorkerOf<'model.request'>;
/** With all its images. */
type Whole = Omit<Asked, 'request'> & { request: ModelRequest };
type Answer = ToWorkerOf<'model.response'>;

/** Milliseconds that an answer is kept for a worker that asks again, because its connection broke meanwhile. */
const KEPT_MS = 20_000;

/** Milliseconds between two tellings of how far an answer has come, and after which it is told again where nothing came. */
const TOLD_MS = 250;
const AGAIN_MS = 1_000;

/** Images that are kept for a socket, in characters; one that comes to more is closed, and its worker opens the next. */
const MAX_KEPT = 32_000_000;

/** Answers workers that ask a model. A request that comes again on another connection is not asked a second time. */
export class ModelRequests {
  private readonly calls: Pick<ModelCallService, 'call'>;
  /** By the request, and where who asked is to be told meanwhile. */
  private readonly answers = new Map<string, { readonly answer: Promise<Answer>; socket: WorkerSocket }>();
  /** Calls at work, by run. */
  private readonly callsInFlight = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(calls: Pick<ModelCallService, 'call'>) {
    this.calls = calls;
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run, RATE_LIMITED, and as `ModelCallService.call` */
  call(socket: WorkerSocket, asked: Asked): Promise<Answer> {
    const request = socket.images.restoreImages(asked, asked.request);
    if (socket.images.size > MAX_KEPT) socket.close(1013, 'Too many images are kept; connect again');
    // Of a second socket the store says whether its session holds the run; an answer that is kept is the session's own.
    if (!socket.isBulkChannel) requireHeldAttempt(socket, asked);
    const key = `${socket.session}/${asked.run}/${asked.epoch}/${asked.id}`;
    const found = this.answers.get(key);
    if (found) {
      found.socket = socket;
      return found.answer;
    }
    const open = this.callsInFlight.get(asked.run) ?? 0;
    if (open >= MAX_PARALLEL_MODEL_CALLS)
      throw new PilothouseError('RATE_LIMITED', `A run asks models ${MAX_PARALLEL_MODEL_CALLS} things at a time`);
    this.callsInFlight.set(asked.run, open + 1);
    const { id } = asked;
    const partial = throttleLatest(TOLD_MS, AGAIN_MS, (text: string) => {
      this.answers.get(key)?.socket.send({ type: 'model.partial', id, text: text.slice(0, MAX_THOUGHT) });
    });
    const answer = this.answer(socket.session, { ...asked, request }, asked.streamPartial ? partial.give : undefined);
    this.answers.set(key, { answer, socket });
    const settled = () => {
      partial.end();
      this.closed(asked.run);
      systemTimers.setTimeout(() => this.answers.delete(key), KEPT_MS).unref();
    };
    void answer.then(settled, settled);
    return answer;
  }

  /** Gives up the calls at work: their workers ask another gateway. */
  close(): void {
    this.stopping.abort(new PilothouseError('UNAVAILABLE', 'This gateway stops'));
  }

  private closed(run: string): void {
    const open = (this.callsInFlight.get(run) ?? 1) - 1;
    if (open > 0) this.callsInFlight.set(run, open);
    else this.callsInFlight.delete(run);
  }

  private async answer(
    session: string,
    { id, run, epoch, step, request, timeoutMs }: Whole,
    partial: ModelContext['said'],
  ): Promise<Answer> {
    const asked = { run, epoch, session, step, request, timeoutMs, said: partial };
    const answer = await this.calls.call(asked, this.stopping.signal);
    return { type: 'model.response', id, answer };
  }
}
