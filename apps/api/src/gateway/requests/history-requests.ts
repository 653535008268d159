import { type FromWorkerOf, PilothouseError, type ToWorkerOf, workflowDefinitionSchema } from '@pilothouse/contract';
import { earlierLocators, withoutIterations } from '@pilothouse/core';
import { type ActionCacheStore, type Pool, readPreviousSteps } from '@pilothouse/infra-db';
import { requireHeldAttempt } from './transfer-requests.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** Tells workers how former runs of a workflow found the element of a step that is not found any more. */
export class HistoryRequests {
  constructor(private readonly pool: Pool) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async locators(socket: WorkerSocket, asked: FromWorkerOf<'locators.request'>): Promise<ToWorkerOf<'locators.value'>> {
    requireHeldAttempt(socket, asked);
    const { id, run, path: at } = asked;
    const found = await readPreviousSteps(this.pool, run, withoutIterations(at));
    if (!found) throw new PilothouseError('LEASE_LOST', 'The run is gone');
    const definition = workflowDefinitionSchema.parse(found.definition);
    const former = found.events.flatMap((event) => {
      const then = workflowDefinitionSchema.safeParse(event.definition);
      return then.success ? [{ ...event, definition: then.data }] : [];
    });
    return { type: 'locators.value', id, locators: [...earlierLocators(definition, at, former)] };
  }
}

/** What agents remember, kept here and never passed between workers. A worker names no workflow: that of its run it is. */
export class MemoryRequests {
  constructor(private readonly store: Pick<ActionCacheStore, 'get' | 'put'>) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async readAction(
    socket: WorkerSocket,
    asked: FromWorkerOf<'action_cache.get'>,
  ): Promise<ToWorkerOf<'action_cache.value'>> {
    requireHeldAttempt(socket, asked);
    const { id, run, step, key } = asked;
    return { type: 'action_cache.value', id, actions: await this.store.get(run, step, key) };
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async storeActions(
    socket: WorkerSocket,
    asked: FromWorkerOf<'action_cache.put'>,
  ): Promise<ToWorkerOf<'action_cache.stored'>> {
    requireHeldAttempt(socket, asked);
    const { id, step, entries, evict } = asked;
    await this.store.put(asked, step, entries, evict);
    return { type: 'action_cache.stored', id };
  }
}
