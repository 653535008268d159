import type { FromWorkerOf, ToWorkerOf } from '@pilothouse/contract';
import type { MemoryStore } from '@pilothouse/infra-db';
import { mustHold } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

/** What agents remember, kept here and never passed between workers. A worker names no workflow: that of its run it is. */
export class MemoryRequests {
  constructor(private readonly store: Pick<MemoryStore, 'recall' | 'keep'>) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async recall(socket: WorkerSocket, asked: FromWorkerOf<'memory.request'>): Promise<ToWorkerOf<'memory.value'>> {
    mustHold(socket, asked);
    const { id, run, step, key } = asked;
    return { type: 'memory.value', id, moves: await this.store.recall(run, step, key) };
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async keep(socket: WorkerSocket, asked: FromWorkerOf<'memory.keep'>): Promise<ToWorkerOf<'memory.kept'>> {
    mustHold(socket, asked);
    const { id, step, turns, forget } = asked;
    await this.store.keep(asked, step, turns, forget);
    return { type: 'memory.kept', id };
  }
}
