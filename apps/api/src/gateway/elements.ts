import { PilothouseError, workflowDefinitionSchema, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import { recordedLocators, withoutRounds } from '@pilothouse/core';
import { formerSteps, type Pool } from '@pilothouse/infra-db';
import { mustHold } from './transfers.ts';
import type { WorkerSocket } from './worker.socket.ts';

/** Tells workers how former runs of a workflow found the element of a step that is not found any more. */
export class ElementRequests {
  constructor(private readonly pool: Pool) {}

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async ask(socket: WorkerSocket, asked: FromWorkerOf<'element.request'>): Promise<ToWorkerOf<'element.known'>> {
    mustHold(socket, asked);
    const { id, run, at } = asked;
    const found = await formerSteps(this.pool, run, withoutRounds(at));
    if (!found) throw new PilothouseError('LEASE_LOST', 'The run is gone');
    const definition = workflowDefinitionSchema.parse(found.definition);
    const former = found.events.flatMap((event) => {
      const then = workflowDefinitionSchema.safeParse(event.definition);
      return then.success ? [{ ...event, definition: then.data }] : [];
    });
    return { type: 'element.known', id, locators: [...recordedLocators(definition, at, former)] };
  }
}
