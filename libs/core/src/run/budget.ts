import { PilothouseError, type Assignment } from '@pilothouse/contract';

type Budget = Assignment['budget'];

/** What this attempt has used up so far. */
export interface AttemptUsage {
  readonly steps: number;
  readonly seconds: number;
}

/**
 * Seconds that are left; Infinity without a limit.
 * @param timeout seconds that the workflow gives a run, the smaller limit counts
 */
export function secondsLeft(budget: Budget, timeout: number | undefined, used: Pick<AttemptUsage, 'seconds'>): number {
  const limit = Math.min(budget.seconds ?? Infinity, timeout ?? Infinity);
  return limit - budget.usedSeconds - used.seconds;
}

/** Why the next step may not begin, or undefined when it may. */
export function checkStepBudget(
  budget: Budget,
  timeout: number | undefined,
  used: AttemptUsage,
): PilothouseError | undefined {
  const steps = budget.usedSteps + used.steps;
  if (budget.steps !== undefined && steps >= budget.steps) {
    return new PilothouseError('BUDGET_EXCEEDED', `The run may take ${budget.steps} steps, and has taken ${steps}`, {
      details: { limit: budget.steps, used: steps, unit: 'steps' },
    });
  }
  return secondsLeft(budget, timeout, used) > 0 ? undefined : timeBudgetExceeded(budget, timeout);
}

/** The error of a run whose time is over. */
export function timeBudgetExceeded(budget: Budget, timeout: number | undefined): PilothouseError {
  const limit = Math.min(budget.seconds ?? Infinity, timeout ?? Infinity);
  return new PilothouseError('BUDGET_EXCEEDED', `The run may take ${limit} seconds, and they are over`, {
    details: { limit, unit: 'seconds' },
  });
}
