import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import type { Context } from './runtime.port.ts';

/** What a call of a model gets. */
export interface ModelContext extends Context {
  /** Called with the text of the answer as far as it has come, from its beginning; never where it comes whole. */
  readonly said?: ((text: string) => void) | undefined;
  /** Called when all that comes before a call is done and it begins, where anything does. */
  readonly began?: (() => void) | undefined;
  /** Called when a call that began has come to an end, before that is written down. @param isAnswer whether it brought an answer */
  readonly ended?: ((isAnswer: boolean) => void) | undefined;
}

/** One model of one provider. */
export interface Model {
  /**
   * Asks once.
   * @returns what it answered; `finish` is `safety` when the provider blocked the answer, `length` when it was cut off
   * @throws PilothouseError MODEL_UNAVAILABLE, MODEL_REFUSED (the provider does not take the request, or the key), UnusableAnswerError, the reason of
   * the signal
   */
  generate(request: ModelRequest, context: ModelContext): Promise<ModelAnswer>;
}

/** MODEL_INVALID: thrown where a model answered, and what it answered cannot be used. It was paid for all the same. */
export class UnusableAnswerError extends PilothouseError {
  /** What could be read of it. */
  readonly answer: ModelAnswer;

  constructor(message: string, answer: ModelAnswer) {
    super('MODEL_INVALID', message);
    this.answer = answer;
  }
}
