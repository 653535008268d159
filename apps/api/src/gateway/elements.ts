import { PilothouseError, workflowDefinitionSchema, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import { earlierLocators, withoutIterations } from '@pilothouse/core';
import { readPreviousSteps, type Pool } from '@pilothouse/infra-db';
import { requireHeldAttempt } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

/** Tells workers how former runs of a workflow found the element of a step that is not found any more. */
export class HistoryRequests {
  constructor(private readonly pool: Pool) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async locators(socket: WorkerSocket, asked: FromWorkerOf<'element.request'>): Promise<ToWorkerOf<'element.known'>> {
    requireHeldAttempt(socket, asked);
    const { id, run, at } = asked;
    const found = await readPreviousSteps(this.pool, run, withoutIterations(at));
    if (!found) throw new PilothouseError('LEASE_LOST', 'The run is gone');
    const definition = workflowDefinitionSchema.parse(found.definition);
    const former = found.events.flatMap((event) => {
      const then = workflowDefinitionSchema.safeParse(event.definition);
      return then.success ? [{ ...event, definition: then.data }] : [];
    });
    return { type: 'element.known', id, locators: [...earlierLocators(definition, at, former)] };
  }
}
