import { APPROVAL_ASK, approvalOf, type Question, type Step } from '@pilothouse/contract';
import { placed, shortened, stepTitle, type Place } from '@pilothouse/core';

/** The question whether a step may be done. @param step with its templates replaced */
export function questionOfApproval(step: Step, place: Place): Question {
  const reason = `Step ${place.at} (${stepTitle(step)}) needs approval: ${approvalOf(step) ?? ''}`;
  return {
    ...placed(place),
    id: step.id ?? null,
    ask: APPROVAL_ASK,
    reason: shortened(reason, 2000),
    choices: [
      { choice: 'continue', title: 'Approve: the step is done once' },
      { choice: 'fail', title: 'Refuse: the step fails' },
    ],
  };
}
