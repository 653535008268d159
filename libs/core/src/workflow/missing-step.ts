import type { Step } from '@pilothouse/contract/workflow/step.schema';

/** Prefix of the message of a placeholder for a step that was not imported. */
export const MISSING_STEP = 'Not imported:';

/** Problem of a step in the place of one that was not imported; null: any other step. */
export const missingStepProblem = (step: Step): string | null =>
  step.action === 'assert' && step.message?.startsWith(MISSING_STEP) === true
    ? `${step.message}. Replace this step by one that does the same, or delete it`
    : null;
