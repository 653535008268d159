import { PilothouseError, stepSeconds, type RunAnswer, type Locator, type RunQuestion } from '@pilothouse/contract';
import { describeLocator, answersStep, stepRef, ellipsize, stepTitle, type StepPosition } from '@pilothouse/core';
import type { ActionResult, ActionScope } from '../../actions/run-action.ts';
import type { RunningStep } from '../../attempt/step-outcomes.ts';

/** Tier of what a person settles. */
export const TIER_HUMAN = 'human';

/**
 * What is left of a step, of which a person was asked by a former attempt, which gave its slot back or was lost: nothing where they did it by
 * hand, or ended it. It may have happened by their hand: that its element is there now is no reason to do it.
 * @returns null where it is to be done @throws PilothouseError TARGET_NOT_FOUND where they ended it
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
      `The element of the step was not found, and ${answer.answeredBy} ended it`,
      {
        details: { endedBy: answer.answeredBy },
      },
    );
  return answer.acceptsTarget && answer.choice === 'continue' ? skippedResult(stepSeconds(step), { clock }) : null;
}

/** The step is left out: what it expects has to be true all the same. */
export const skippedResult = (seconds: number, { clock }: Pick<ActionScope, 'clock'>): ActionResult => ({
  outcome: { located: null },
  deadline: clock.monotonic() + seconds * 1000,
  tier: TIER_HUMAN,
});

/**
 * What a person is asked about a step whose element nothing finds. They may point at it.
 * @param why what was tried, and how it failed; @param n which question of the step it is
 */
export function missingElementQuestion(
  old: readonly Locator[],
  why: string,
  n: number,
  place: StepPosition,
): RunQuestion {
  const { step } = place;
  const title = `Step ${place.path} (${stepTitle(step)})`;
  const reason = `${title} does not find its element, ${old.map(describeLocator).join('; or ')}: ${why}. Point at what it means now, or put the page right by hand`;
  return {
    ...stepRef(place),
    id: step.id ?? null,
    questionNumber: n,
    acceptsTarget: true,
    reason: ellipsize(reason, 2000),
    choices: [
      { choice: 'retry', title: 'Do it: where you point, else as it is written' },
      { choice: 'continue', title: 'Go on without it: it was done by hand' },
      { choice: 'fail', title: 'End the step as failed' },
    ],
  };
}
