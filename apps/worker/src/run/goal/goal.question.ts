import type { Question } from '@pilothouse/contract';
import { placed, shortened, type AgentQuestion, type Place } from '@pilothouse/core';

/** What a person is asked by an agent. @param n which question of the step it is */
export function questionOfAgent(question: AgentQuestion, reason: string, n: number, place: Place): Question {
  const { number, step } = place;
  const { at } = placed(place);
  return {
    step: number,
    ...(at !== undefined && { at }),
    id: step.id ?? null,
    ask: n,
    reason: shortened(reason, 2000),
    choices:
      question.kind === 'confirm'
        ? [
            { choice: 'continue', title: 'Allow it, this once' },
            { choice: 'decline', title: 'Do not do it: the agent looks for another way' },
            { choice: 'fail', title: 'End the step as failed' },
          ]
        : [
            { choice: 'continue', title: 'Go on, with an answer in words (text)' },
            { choice: 'decline', title: 'No answer: the agent goes on by itself' },
            { choice: 'fail', title: 'End the step as failed' },
          ],
  };
}
