import type { FromWorkerOf, ToWorkerOf } from '@pilothouse/contract';
import type { ActionCacheStore } from '@pilothouse/infra-db';
import { requireHeldAttempt } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

/** What agents remember, kept here and never passed between workers. A worker names no workflow: that of its run it is. */
export class MemoryRequests {
  constructor(private readonly store: Pick<ActionCacheStore, 'get' | 'put'>) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async readAction(socket: WorkerSocket, asked: FromWorkerOf<'memory.request'>): Promise<ToWorkerOf<'memory.value'>> {
    requireHeldAttempt(socket, asked);
    const { id, run, step, key } = asked;
    return { type: 'memory.value', id, moves: await this.store.get(run, step, key) };
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async storeActions(socket: WorkerSocket, asked: FromWorkerOf<'memory.keep'>): Promise<ToWorkerOf<'memory.kept'>> {
    requireHeldAttempt(socket, asked);
    const { id, step, turns, forget } = asked;
    await this.store.put(asked, step, turns, forget);
    return { type: 'memory.kept', id };
  }
}
