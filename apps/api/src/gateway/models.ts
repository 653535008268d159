import { PilothouseError, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import type { ModelCalls } from '../models/model.calls.ts';
import { mustHold } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

type Asked = FromWorkerOf<'model.request'>;
type Answer = ToWorkerOf<'model.answer'>;

/** Milliseconds that an answer is kept for a worker that asks again, because its connection broke meanwhile. */
const KEPT_MS = 120_000;

/** Answers workers that ask a model. A request that comes again on another connection is not asked a second time. */
export class ModelRequests {
  private readonly calls: Pick<ModelCalls, 'call'>;
  private readonly answers = new Map<string, Promise<Answer>>();
  private readonly stopping = new AbortController();

  constructor(calls: Pick<ModelCalls, 'call'>) {
    this.calls = calls;
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run, and as `ModelCalls.call` */
  ask(socket: WorkerSocket, asked: Asked): Promise<Answer> {
    mustHold(socket, asked);
    const key = `${asked.run}/${asked.epoch}/${asked.id}`;
    const found = this.answers.get(key);
    if (found) return found;
    const answer = this.answer(socket.session, asked);
    this.answers.set(key, answer);
    const forget = () => setTimeout(() => this.answers.delete(key), KEPT_MS).unref();
    void answer.then(forget, forget);
    return answer;
  }

  /** Gives up the calls at work: their workers ask another gateway. */
  close(): void {
    this.stopping.abort(new PilothouseError('UNAVAILABLE', 'This gateway stops'));
  }

  private async answer(session: string, { id, run, epoch, step, request, withinMs }: Asked): Promise<Answer> {
    const answer = await this.calls.call({ run, epoch, session, step, request, withinMs }, this.stopping.signal);
    return { type: 'model.answer', id, answer };
  }
}
