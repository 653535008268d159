import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { earlierLocators, withoutIterations } from '@pilothouse/core/agent/healing/workflow-repair';
import { readPreviousSteps, type ActionCacheStore, type Pool } from '@pilothouse/infra-db';
import type { WorkerSession } from '../socket/worker-session.ts';

/** Answers requests about earlier runs of the workflow: cached actions, and the locators of a step. */
export class HistoryRequests {
  constructor(
    private readonly pool: Pool,
    private readonly actionCache: Pick<ActionCacheStore, 'get' | 'put'>,
  ) {}

  /** Locators that found the element of a step in earlier runs. @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async locators(
    { attempts }: WorkerSession,
    request: FromWorkerOf<'locators.request'>,
  ): Promise<ToWorkerOf<'locators.value'>> {
    const { run } = attempts.require(request);
    const { id, path } = request;
    const previous = await readPreviousSteps(this.pool, run, withoutIterations(path));
    if (!previous) throw new PilothouseError('LEASE_LOST', 'The run was deleted');
    const definition = workflowDefinitionSchema.parse(previous.definition);
    const earlierSteps = previous.events.flatMap((event) => {
      const earlierDefinition = workflowDefinitionSchema.safeParse(event.definition);
      return earlierDefinition.success ? [{ ...event, definition: earlierDefinition.data }] : [];
    });
    return { type: 'locators.value', id, locators: [...earlierLocators(definition, path, earlierSteps)] };
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async readAction(
    { attempts }: WorkerSession,
    request: FromWorkerOf<'action_cache.get'>,
  ): Promise<ToWorkerOf<'action_cache.value'>> {
    const { run } = attempts.require(request);
    const { id, step, key } = request;
    return { type: 'action_cache.value', id, cached: await this.actionCache.get(run, step, key) };
  }

  /** @throws PilothouseError LEASE_LOST when the worker does not hold the run */
  async storeActions(
    { attempts }: WorkerSession,
    request: FromWorkerOf<'action_cache.put'>,
  ): Promise<ToWorkerOf<'action_cache.stored'>> {
    attempts.require(request);
    const { id, step, entries, evict } = request;
    await this.actionCache.put(request, step, entries, evict);
    return { type: 'action_cache.stored', id };
  }
}
