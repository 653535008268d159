import { MAX_THOUGHT } from '@pilothouse/contract';
import { shortened, thoughtSoFar, type Masker, type Place } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';

export interface ThinkingParts {
  readonly place: Place;
  readonly link: Pick<AttemptLink, 'think'>;
  readonly masker: Pick<Masker, 'begun'>;
}

/** Tells who follows the run what the model says in a turn, while it says it: no secret, and not the beginning of one. */
export const thinkingAloud =
  (turn: number, { place, link, masker }: ThinkingParts) =>
  (text: string): void => {
    const thought = shortened(thoughtSoFar(masker.begun(text)), MAX_THOUGHT);
    if (thought !== '') link.think({ step: place.number, turn, thought });
  };
