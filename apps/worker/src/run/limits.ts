import type { Assignment } from '@pilothouse/contract';
import { overBudget, takeoverPlan } from '@pilothouse/core';
import type { Stops } from './stops.ts';
import type { RunTools } from './tools.ts';

export interface LimitsParts {
  readonly assignment: Pick<Assignment, 'budget' | 'definition'>;
  readonly stops: Stops;
  readonly tools: Pick<RunTools, 'course' | 'safePoints' | 'time'>;
}

/** What an attempt may still do: its budget, and whether it is to stop or to leave. */
export class Limits {
  private readonly parts: LimitsParts;
  private steps = 0;

  constructor(parts: LimitsParts) {
    this.parts = parts;
  }

  /** Steps that were begun. */
  get begun(): number {
    return this.steps;
  }

  /** Counts a step that begins. */
  begin(): void {
    this.steps += 1;
  }

  /** Counts one more step under the one at work. @throws why it may not begin */
  another(): void {
    this.within(this.steps);
    this.begin();
  }

  /** Whether the step at work may send input; looked at before every input. @throws why it may not */
  mayAct(): void {
    this.within(this.steps - 1);
  }

  /** Whether the next step may begin. @throws why it may not */
  async mustBegin(): Promise<void> {
    this.within(this.steps);
    const { assignment, stops, tools } = this.parts;
    if (!stops.leaving.aborted) return;
    await tools.safePoints.settled();
    const { resume } = assignment.definition;
    const { places, checkpoints } = tools.course.leaving;
    const plan = takeoverPlan({ places, resume }, { checkpoints, saved: tools.safePoints.last, answer: null });
    if (plan.kind !== 'fail' && !(plan.kind === 'go-on' && plan.doubt?.otherwise === 'ask')) throw stops.leaving.reason;
  }

  private within(steps: number): void {
    const { assignment, stops, tools } = this.parts;
    stops.halt.throwIfAborted();
    const { budget, definition } = assignment;
    const error = overBudget(budget, definition.timeout, { steps, seconds: tools.time.seconds });
    if (error) throw error;
  }
}
