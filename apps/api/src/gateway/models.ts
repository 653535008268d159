import {
  MODEL_CALLS_AT_ONCE,
  PilothouseError,
  type FromWorkerOf,
  type ModelRequest,
  type ToWorkerOf,
} from '@pilothouse/contract';
import type { ModelCalls } from '../models/model.calls.ts';
import { mustHold } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

type Asked = FromWorkerOf<'model.request'>;
/** With all its images. */
type Whole = Omit<Asked, 'request'> & { request: ModelRequest };
type Answer = ToWorkerOf<'model.answer'>;

/** Milliseconds that an answer is kept for a worker that asks again, because its connection broke meanwhile. */
const KEPT_MS = 20_000;

/** Images that are kept for a socket, in characters; one that comes to more is closed, and its worker opens the next. */
const MAX_KEPT = 32_000_000;

/** Answers workers that ask a model. A request that comes again on another connection is not asked a second time. */
export class ModelRequests {
  private readonly calls: Pick<ModelCalls, 'call'>;
  private readonly answers = new Map<string, Promise<Answer>>();
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
    if (found) return found;
    const open = this.open.get(asked.run) ?? 0;
    if (open >= MODEL_CALLS_AT_ONCE)
      throw new PilothouseError('RATE_LIMITED', `A run asks models ${MODEL_CALLS_AT_ONCE} things at a time`);
    this.open.set(asked.run, open + 1);
    const answer = this.answer(socket.session, { ...asked, request });
    this.answers.set(key, answer);
    const settled = () => {
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

  private async answer(session: string, { id, run, epoch, step, request, withinMs }: Whole): Promise<Answer> {
    const answer = await this.calls.call({ run, epoch, session, step, request, withinMs }, this.stopping.signal);
    return { type: 'model.answer', id, answer };
  }
}
