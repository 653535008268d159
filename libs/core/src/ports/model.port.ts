import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import type { Context } from './runtime.port.ts';

/** Context of a model call. */
export interface ModelContext extends Context {
  /** Called with the text of the answer as far as it has come, from its beginning; never where it comes whole. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Called when all that comes before a call is done and it begins, where anything does. */
  readonly onStart?: (() => void) | undefined;
  /**
   * Called when a started call ended, before its result is stored.
   * @param isAnswer whether it returned an answer
   */
  readonly onEnd?: ((isAnswer: boolean) => void) | undefined;
}

/** One model of one provider. */
export interface Model {
  /**
   * Makes one call.
   * @returns the answer; `finish` is `safety` if the provider blocked it, `length` if it was cut
   * @throws PilothouseError MODEL_UNAVAILABLE, MODEL_REFUSED (the provider rejects the request or key), UnusableAnswerError, the reason of
   * the signal
   */
  generate(request: ModelRequest, context: ModelContext): Promise<ModelAnswer>;
}

/** MODEL_INVALID: the model returned an answer that cannot be used. The call still has a cost. */
export class UnusableAnswerError extends PilothouseError {
  /** The readable part of the answer. */
  readonly answer: ModelAnswer;

  constructor(message: string, answer: ModelAnswer) {
    super('MODEL_INVALID', message);
    this.answer = answer;
  }
}
