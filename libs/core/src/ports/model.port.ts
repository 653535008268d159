import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Context } from './runtime.port.ts';

/** Context of a model call. */
export interface ModelContext extends Context {
  /** Called with the partial text of the answer, from its beginning. Not called if the answer is not streamed. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Called once when the first call starts, after the waits before it. */
  readonly onStart?: (() => void) | undefined;
  /**
   * Called when a started call ended, before its result is stored.
   * @param isAnswer true: it returned an answer
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

/** MODEL_NOT_CONFIGURED: a request has images, but no model for it takes them. No call was made. */
export class NoImageInputError extends PilothouseError {
  constructor(message: string) {
    super('MODEL_NOT_CONFIGURED', message);
  }
}
