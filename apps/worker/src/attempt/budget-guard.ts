import type { Assignment } from '@pilothouse/contract';
import { checkStepBudget, planRecovery } from '@pilothouse/core';
import type { RunCancellation } from './cancellation.ts';
import type { AttemptContext } from '../context/attempt-context.ts';

export interface LimitsParts {
  readonly assignment: Pick<Assignment, 'budget' | 'definition'>;
  readonly stops: RunCancellation;
  readonly tools: Pick<AttemptContext, 'progress' | 'safePoints' | 'time'>;
}

/** What an attempt may still do: its budget, and whether it is to stop or to leave. */
export class BudgetGuard {
  private readonly parts: LimitsParts;
  private steps = 0;

  constructor(parts: LimitsParts) {
    this.parts = parts;
  }

  /** Steps that were begun. */
  get startedSteps(): number {
    return this.steps;
  }

  /** Counts a step that begins. */
  countStep(): void {
    this.steps += 1;
  }

  /** Counts one more step under the one at work. @throws why it may not begin */
  countBranchStep(): void {
    this.within(this.steps);
    this.countStep();
  }

  /** Whether the step at work may send input; looked at before every input. @throws why it may not */
  assertCanAct(): void {
    this.within(this.steps - 1);
  }

  /** Whether the next step may begin. @throws why it may not */
  async assertCanStartStep(): Promise<void> {
    this.within(this.steps);
    const { assignment, stops, tools } = this.parts;
    if (!stops.draining.aborted) return;
    await tools.safePoints.whenSaved();
    const { onWorkerLost } = assignment.definition;
    const { previousPositions, checkpoints } = tools.progress.checkpointsIfStopped;
    const plan = planRecovery(
      { places: previousPositions, onWorkerLost },
      { checkpoints, safePoint: tools.safePoints.latest, answer: null },
    );
    if (plan.kind !== 'fail' && !(plan.kind === 'go-on' && plan.doubt?.otherwise === 'ask'))
      throw stops.draining.reason;
  }

  private within(steps: number): void {
    const { assignment, stops, tools } = this.parts;
    stops.signal.throwIfAborted();
    const { budget, definition } = assignment;
    const error = checkStepBudget(budget, definition.timeout, { steps, seconds: tools.time.seconds });
    if (error) throw error;
  }
}
