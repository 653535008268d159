/** `questionNumber` of the approval of a step. Larger than the numbers of agent and healing questions of the step. */
export const APPROVAL_QUESTION_NUMBER = 1000;
