import { APPROVAL_ASK, approvalOf, type RunQuestion, type Step } from '@pilothouse/contract';
import { stepRef, ellipsize, stepTitle, type StepPosition } from '@pilothouse/core';

/** The question whether a step may be done. @param step with its templates replaced */
export function questionOfApproval(step: Step, place: StepPosition): RunQuestion {
  const reason = `Step ${place.path} (${stepTitle(step)}) needs approval: ${approvalOf(step) ?? ''}`;
  return {
    ...stepRef(place),
    id: step.id ?? null,
    questionNumber: APPROVAL_ASK,
    reason: ellipsize(reason, 2000),
    choices: [
      { choice: 'continue', title: 'Approve: the step is done once' },
      { choice: 'fail', title: 'Refuse: the step fails' },
    ],
  };
}
