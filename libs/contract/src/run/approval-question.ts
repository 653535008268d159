/** `questionNumber` of a step's approval. Larger than the numbers of agent and healing questions of the step. */
export const APPROVAL_QUESTION_NUMBER = 1000;
