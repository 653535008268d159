/** `questionNumber` of a step's approval. The step's agent and healing questions have smaller numbers. */
export const APPROVAL_QUESTION_NUMBER = 1000;
