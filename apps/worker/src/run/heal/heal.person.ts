import { PilothouseError, stepSeconds, type Answer, type Locator, type Question } from '@pilothouse/contract';
import { describeLocator, isAnswerTo, placed, shortened, stepTitle, type Place } from '@pilothouse/core';
import type { Acted, ActParts } from '../act.ts';
import type { AtWork } from '../notes.ts';

/** Rung of what a person settles. */
export const BY_PERSON = 4;

/**
 * What is left of a step, of which a person was asked by a former attempt, which gave its slot back or was lost: nothing where they did it by
 * hand, or ended it. It may have happened by their hand: that its element is there now is no reason to do it.
 * @returns null where it is to be done @throws PilothouseError TARGET_NOT_FOUND where they ended it
 */
export function settledBy(answer: Answer | null, { place, step }: AtWork, { clock }: ActParts): Acted | null {
  if (answer?.ask === undefined || !isAnswerTo(answer, place)) return null;
  if (answer.choice === 'fail')
    throw new PilothouseError('TARGET_NOT_FOUND', `The element of the step was not found, and ${answer.by} ended it`);
  return answer.points && answer.choice === 'continue' ? withoutIt(stepSeconds(step), { clock }) : null;
}

/** The step is left out: what it expects has to be true all the same. */
export const withoutIt = (seconds: number, { clock }: Pick<ActParts, 'clock'>): Acted => ({
  outcome: { located: null },
  deadline: clock.monotonic() + seconds * 1000,
  rung: BY_PERSON,
});

/**
 * What a person is asked about a step whose element nothing finds. They may point at it.
 * @param why what was tried, and how it failed; @param n which question of the step it is
 */
export function questionOfLost(old: readonly Locator[], why: string, n: number, place: Place): Question {
  const { step } = place;
  const title = `Step ${place.at} (${stepTitle(step)})`;
  const reason = `${title} does not find its element, ${old.map(describeLocator).join('; or ')}: ${why}. Point at what it means now, or put the page right by hand`;
  return {
    ...placed(place),
    id: step.id ?? null,
    ask: n,
    points: true,
    reason: shortened(reason, 2000),
    choices: [
      { choice: 'repeat', title: 'Do it: where you point, else as it is written' },
      { choice: 'continue', title: 'Go on without it: it was done by hand' },
      { choice: 'fail', title: 'End the step as failed' },
    ],
  };
}
