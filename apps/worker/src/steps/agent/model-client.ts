import {
  PilothouseError,
  toPilothouseError,
  type Assignment,
  type ErrorCode,
  type Json,
  type ModelAnswer,
  type ModelRequest,
} from '@pilothouse/contract';
import { toCredentialPlaceholders, type Masker, type StepPosition, systemTimers } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/run-action.ts';
import { randomInt } from 'node:crypto';

/** Milliseconds that a model is waited for, and before the end of the step in which its silence is that the time is over. */
const MODEL_MS = 120_000;
const LAST_MS = 1_500;
/** Milliseconds until a model is asked again when the run asks too many things at a time: an answer that nobody waits for takes a place, too. */
const AGAIN_MS = 1_000;

/** How a request with a picture may be refused that means: there is nobody who sees. An older gateway takes no pictures. */
const blinding: ReadonlySet<ErrorCode> = new Set(['MODEL_NOT_CONFIGURED', 'MODEL_REFUSED', 'PROTOCOL_INVALID']);

export interface ModelParts {
  readonly place: StepPosition;
  readonly act: Pick<ActionScope, 'signal' | 'clock'>;
  readonly link: Pick<AttemptLink, 'callModel'>;
  readonly masker: Pick<Masker, 'json'>;
  readonly assignment: Pick<Assignment, 'secrets'>;
  /** Monotonic milliseconds until which an answer is waited for. */
  deadline(): number;
  /** What the step fails with when it took too long; left out: the deadline is that of the call alone. */
  tooLate?(): PilothouseError;
}

/** There is no model that sees, and why. */
export interface VisionUnavailable {
  readonly reason: string;
}

/** What an agent asks models. */
export class ModelClient {
  private readonly parts: ModelParts;

  constructor(parts: ModelParts) {
    this.parts = parts;
  }

  /**
   * Asks a model.
   * @param said called with the text while the model speaks
   * @returns a sentence where it answered what cannot be used
   * @throws PilothouseError MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED, STEP_TIMED_OUT; the reason of `halt`
   */
  async complete(request: ModelRequest, said?: (text: string) => void): Promise<ModelAnswer | string> {
    const { act, deadline, tooLate } = this.parts;
    const until = Math.min(deadline(), act.clock.monotonic() + MODEL_MS);
    try {
      const answer = await this.inTurn(this.masked(request), until, said);
      if (answer.finish === 'length') return 'The answer was cut off: be shorter';
      return answer.finish === 'safety' ? 'The provider of the model blocked its answer' : answer;
    } catch (thrown) {
      act.signal.throwIfAborted();
      const error = toPilothouseError(thrown);
      const isAway = error.code === 'MODEL_UNAVAILABLE' || error.code === 'UNAVAILABLE';
      if (isAway && tooLate && act.clock.monotonic() > deadline() - LAST_MS) throw tooLate();
      if (error.code !== 'MODEL_INVALID') throw thrown;
      return `The answer cannot be used: ${error.message}`;
    }
  }

  private async inTurn(request: ModelRequest, deadline: number, said?: (text: string) => void): Promise<ModelAnswer> {
    const { link, place, act } = this.parts;
    for (;;) {
      try {
        return await link.callModel(place.number, request, { signal: act.signal, deadline, said });
      } catch (thrown) {
        const isFull = thrown instanceof PilothouseError && thrown.code === 'RATE_LIMITED';
        if (!isFull || act.clock.monotonic() + AGAIN_MS > deadline) throw thrown;
      }
      await systemTimers.delay(AGAIN_MS, act.signal);
    }
  }

  /** The same with pictures: that nobody sees them is no error. */
  async completeWithImages(
    request: ModelRequest,
    said?: (text: string) => void,
  ): Promise<ModelAnswer | string | VisionUnavailable> {
    try {
      return await this.complete(request, said);
    } catch (thrown) {
      if (thrown instanceof PilothouseError && blinding.has(thrown.code)) return { reason: thrown.message };
      throw thrown;
    }
  }

  /** Not a word leaves that is a secret: they stand by their names. What of a picture is one was covered when it was made. */
  private masked(request: ModelRequest): ModelRequest {
    const { messages, ...rest } = request;
    const { masker, assignment } = this.parts;
    const clean = <Value>(value: Value) => masker.json(value as unknown as Json) as unknown as Value;
    return {
      ...clean(rest),
      messages: messages.map(({ role, parts }) => ({
        role,
        parts: parts.map((part) => {
          if ('image' in part) return part;
          return 'text' in part
            ? { text: toCredentialPlaceholders(clean(part.text), assignment.secrets) }
            : clean(part);
        }),
      })),
    };
  }
}

export const isVisionUnavailable = (answer: object | string): answer is VisionUnavailable =>
  typeof answer === 'object' && 'reason' in answer;

/** What stands around the words of pages in prompts, and no page can guess. Digits, because a model takes three of them for one word. */
export const newPromptBoundary = (): string => String(randomInt(10 ** 12)).padStart(12, '0');
