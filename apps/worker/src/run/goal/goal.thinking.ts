import { MAX_THOUGHT, type Thinking } from '@pilothouse/contract';
import { reasonSoFar, shortened, thoughtSoFar, type Masker, type Place } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { BranchPlace } from './goal.teller.ts';

export interface ThinkingParts {
  readonly place: Place;
  /** Of a goal in a branch of the step at this place: several may speak at once. */
  readonly branch?: BranchPlace;
  readonly link: Pick<AttemptLink, 'think'>;
  readonly masker: Pick<Masker, 'begun'>;
}

/**
 * Tells who follows the run what the model says in a turn, while it says it: no secret, and not the beginning of one.
 * @param of what is asked, when it is not what to do next
 */
export const thinkingAloud =
  (turn: number, { place, branch, link, masker }: ThinkingParts, of?: Thinking['of']) =>
  (text: string): void => {
    // A reason stands in JSON, in which a secret may be written otherwise.
    const thought = shortened(of ? masker.begun(reasonSoFar(text)) : thoughtSoFar(masker.begun(text)), MAX_THOUGHT);
    if (thought !== '') link.think({ step: place.number, turn, ...branch, ...(of && { of }), thought });
  };
