import type { Locator, Question } from '@pilothouse/contract';
import { describeLocator, placed, shortened, stepTitle, type Place } from '@pilothouse/core';

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
