import { isTerminal } from '@pilothouse/contract/run/run-status';
import { Inject } from '@nestjs/common';
import { readActiveChildRuns, readCancelState, RunReader, type Pool } from '@pilothouse/infra-db';
import pLimit from 'p-limit';
import { validationError } from '../http/request-validation.ts';
import { POOL } from '../common/injection-tokens.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';

/** Child runs that are cancelled at the same time. */
const MAX_PARALLEL = 8;

/**
 * The relation between a run and its child runs. The cancellation of the parent cancels its children; its completion, failure or deletion
 * does not change them.
 */
export class ChildRuns {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(RunReader) private readonly runs: Pick<RunReader, 'get'>,
    @Inject(RunLifecycle) private readonly lifecycle: Pick<RunLifecycle, 'cancel'>,
  ) {}

  /** @throws PilothouseError VALIDATION_FAILED when a run cannot have a new child run */
  async requireParent(project: string, parent: string): Promise<void> {
    const status = (await this.runs.get(project, parent))?.view.status;
    if (status !== undefined && !isTerminal(status)) return;
    const detail =
      status === undefined
        ? 'The run was not found in this project.'
        : `The run is ${status}. Name a run that has not ended.`;
    throw validationError('run', [{ pointer: '/parentRunId', detail }]);
  }

  /** Cancels the child runs of a cancelled run that have not ended. Their own child runs follow. */
  async cancelChildren(parent: string): Promise<void> {
    const children = await readActiveChildRuns(this.pool, parent);
    await pLimit(MAX_PARALLEL).map(children, (child) => this.cancel(child, parent));
  }

  /** Cancels a stored child run if its parent was cancelled meanwhile: `cancelChildren` may have been too early for it. */
  async followParent(child: string, parent: string): Promise<void> {
    const state = await readCancelState(this.pool, parent);
    if (state?.status === 'cancelled') await this.cancel(child, parent);
  }

  private cancel(child: string, parent: string): Promise<unknown> {
    return this.lifecycle.cancel(child, `parent run ${parent}`);
  }
}
