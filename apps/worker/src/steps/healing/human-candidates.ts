import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { stepSeconds } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { numberOf } from '@pilothouse/core/interpreter/step-number';
import { answersStep, stepRef } from '@pilothouse/core/interpreter/step-path';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import { describeLocator, stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { ActionResult } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import type { RunningStep } from '../../attempt/running-step.ts';

/** Tier of decisions by people. */
export const TIER_HUMAN = 'human';

/**
 * Settles a step if an earlier attempt asked a person about it. If the person did it manually, the step must not run again, even if its
 * element is found now.
 * @returns the settled result; null: the step must still run
 * @throws PilothouseError TARGET_NOT_FOUND if the person ended it
 */
export function resultOfPreviousAnswer(
  answer: RunAnswer | null,
  { position, step }: RunningStep,
  { clock }: ActionScope,
): ActionResult | null {
  if (answer?.questionNumber === undefined || !answersStep(answer, position)) return null;
  if (answer.choice === 'fail')
    throw new PilothouseError(
      'TARGET_NOT_FOUND',
      `The element of the step was not found, and ${answer.answeredBy} failed the step`,
      {
        details: { endedBy: answer.answeredBy },
      },
    );
  return answer.acceptsTarget && answer.choice === 'continue' ? skippedResult(stepSeconds(step), { clock }) : null;
}

/** Result of a skipped step. Its expectation is still checked. */
export const skippedResult = (seconds: number, { clock }: Pick<ActionScope, 'clock'>): ActionResult => ({
  outcome: { located: null, effect: 'unverifiable', effectReason: 'A person continued the run at this step' },
  deadline: clock.monotonic() + seconds * 1000,
  tier: TIER_HUMAN,
});

/**
 * Question about a step whose element is not found. The person may point at the element.
 * @param reasons methods that were tried, with their errors
 * @param questionNumber number of the question in the step
 */
export function missingElementQuestion(
  previousLocators: readonly Locator[],
  reasons: string,
  questionNumber: number,
  position: StepPosition,
): RunQuestion {
  const { step } = position;
  const title = `Step ${numberOf(position)} (${stepTitle(step)})`;
  const reason = `${title} does not find its element (${previousLocators.map(describeLocator).join('; or ')}): ${reasons}. Pick the element, or correct the page under manual control.`;
  return {
    ...stepRef(position),
    id: step.id ?? null,
    questionNumber,
    acceptsTarget: true,
    reason: ellipsize(reason, 2000),
    choices: [
      { choice: 'retry', title: 'Run the step: on the picked element, or with its own locators' },
      { choice: 'continue', title: 'Continue: the step was done manually' },
      { choice: 'fail', title: 'Fail the step' },
    ],
  };
}
