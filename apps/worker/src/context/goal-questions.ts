import type { RunQuestion } from '@pilothouse/contract';
import { stepRef, ellipsize, type AgentQuestion, type StepPosition } from '@pilothouse/core';

/** What a person is asked by an agent. @param n which question of the step it is */
export function agentQuestion(question: AgentQuestion, reason: string, n: number, place: StepPosition): RunQuestion {
  const { number, step } = place;
  const { path: at } = stepRef(place);
  return {
    step: number,
    ...(at !== undefined && { path: at }),
    id: step.id ?? null,
    questionNumber: n,
    reason: ellipsize(reason, 2000),
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
