import { APPROVAL_QUESTION_NUMBER } from './approval-question.ts';
import type { RunQuestion } from './run-question.schema.ts';

/** True if a question may be answered in words. The approval of a step and a question for an element may not. */
export const canAnswerWithText = ({
  questionNumber,
  acceptsTarget,
}: Pick<RunQuestion, 'questionNumber' | 'acceptsTarget'>): boolean =>
  questionNumber !== undefined && questionNumber !== APPROVAL_QUESTION_NUMBER && !acceptsTarget;
