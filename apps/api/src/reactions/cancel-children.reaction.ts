import { Inject } from '@nestjs/common';
import { ChildRuns } from '../runs/child-runs.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

/** Cancels the child runs of a cancelled run. */
export class CancelChildrenReaction implements ReactionHandler {
  constructor(@Inject(ChildRuns) private readonly children: Pick<ChildRuns, 'cancelChildren'>) {}

  execute({ run }: ReactionAttempt): Promise<void> {
    return this.children.cancelChildren(run);
  }
}
