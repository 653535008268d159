import { MAX_THOUGHT, type AgentThinking } from '@pilothouse/contract';
import { partialReason, ellipsize, partialThought, type Masker, type StepPosition } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { BranchRef } from './goal.teller.ts';

export interface ThinkingParts {
  readonly place: StepPosition;
  /** Of a goal in a branch of the step at this place: several may speak at once. */
  readonly branch?: BranchRef;
  readonly link: Pick<AttemptLink, 'sendThinking'>;
  readonly masker: Pick<Masker, 'begun'>;
}

/**
 * Tells who follows the run what the model says in a turn, while it says it: no secret, and not the beginning of one.
 * @param of what is asked, when it is not what to do next
 */
export const streamThinking =
  (turn: number, { place, branch, link, masker }: ThinkingParts, of?: AgentThinking['of']) =>
  (text: string): void => {
    // A reason stands in JSON, in which a secret may be written otherwise.
    const thought = ellipsize(of ? masker.begun(partialReason(text)) : partialThought(masker.begun(text)), MAX_THOUGHT);
    if (thought !== '') link.sendThinking({ step: place.number, turn, ...branch, ...(of && { of }), thought });
  };
