import {
  MAX_THOUGHT,
  MODEL_CALLS_AT_ONCE,
  PilothouseError,
  type FromWorkerOf,
  type ModelRequest,
  type ToWorkerOf,
} from '@pilothouse/contract';
import type { ModelContext } from '@pilothouse/core';
import type { ModelCalls } from '../models/model.calls.ts';
import { paced } from './paced.ts';
import { mustHold } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

type Asked = FromWorkerOf<'model.request'>;
/** With all its images. */
type Whole = Omit<Asked, 'request'> & { request: ModelRequest };
type Answer = ToWorkerOf<'model.answer'>;

/** Milliseconds that an answer is kept for a worker that asks again, because its connection broke meanwhile. */
const KEPT_MS = 20_000;

/** Milliseconds between two tellings of how far an answer has come, and after which it is told again where nothing came. */
const TOLD_MS = 250;
const AGAIN_MS = 1_000;

/** Images that are kept for a socket, in characters; one that comes to more is closed, and its worker opens the next. */
const MAX_KEPT = 32_000_000;

/** Answers workers that ask a model. A request that comes again on another connection is not asked a second time. */
export class ModelRequests {
  private readonly calls: Pick<ModelCalls, 'call'>;
  /** By the request, and where who asked is to be told meanwhile. */
  private readonly answers = new Map<string, { readonly answer: Promise<Answer>; socket: WorkerSocket }>();
  /** Calls at work, by run. */
  private readonly open = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(calls: Pick<ModelCalls, 'call'>) {
    this.calls = calls;
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run, RATE_LIMITED, and as `ModelCalls.call` */
  ask(socket: WorkerSocket, asked: Asked): Promise<Answer> {
    const request = socket.images.whole(asked, asked.request);
    if (socket.images.size > MAX_KEPT) socket.close(1013, 'Too many images are kept; connect again');
    // Of a second socket the store says whether its session holds the run; an answer that is kept is the session's own.
    if (!socket.isAside) mustHold(socket, asked);
    const key = `${socket.session}/${asked.run}/${asked.epoch}/${asked.id}`;
    const found = this.answers.get(key);
    if (found) {
      found.socket = socket;
      return found.answer;
    }
    const open = this.open.get(asked.run) ?? 0;
    if (open >= MODEL_CALLS_AT_ONCE)
      throw new PilothouseError('RATE_LIMITED', `A run asks models ${MODEL_CALLS_AT_ONCE} things at a time`);
    this.open.set(asked.run, open + 1);
    const { id } = asked;
    const said = paced(TOLD_MS, AGAIN_MS, (text: string) => {
      this.answers.get(key)?.socket.send({ type: 'model.said', id, text: text.slice(0, MAX_THOUGHT) });
    });
    const answer = this.answer(socket.session, { ...asked, request }, asked.tells ? said.give : undefined);
    this.answers.set(key, { answer, socket });
    const settled = () => {
      said.end();
      this.closed(asked.run);
      setTimeout(() => this.answers.delete(key), KEPT_MS).unref();
    };
    void answer.then(settled, settled);
    return answer;
  }

  /** Gives up the calls at work: their workers ask another gateway. */
  close(): void {
    this.stopping.abort(new PilothouseError('UNAVAILABLE', 'This gateway stops'));
  }

  private closed(run: string): void {
    const open = (this.open.get(run) ?? 1) - 1;
    if (open > 0) this.open.set(run, open);
    else this.open.delete(run);
  }

  private async answer(
    session: string,
    { id, run, epoch, step, request, withinMs }: Whole,
    said: ModelContext['said'],
  ): Promise<Answer> {
    const asked = { run, epoch, session, step, request, withinMs, said };
    const answer = await this.calls.call(asked, this.stopping.signal);
    return { type: 'model.answer', id, answer };
  }
}
