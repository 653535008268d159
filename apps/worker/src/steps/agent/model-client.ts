import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_MODEL_TIMEOUT_MS, type ModelAnswer, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import { toCredentialPlaceholders } from '@pilothouse/core/workflow/secret-placeholders';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/action-scope.ts';
import { randomInt } from 'node:crypto';

/** A model that fails within this time before the end of the step counts as a timeout of the step. */
const TIMEOUT_MARGIN_MS = 1_500;
/** Milliseconds before a call is repeated that the run has no slot for. */
const RETRY_DELAY_MS = 1_000;

/** Errors of a request with images that mean that no vision model is available. */
const visionUnavailableErrors: ReadonlySet<ErrorCode> = new Set([
  'MODEL_NOT_CONFIGURED',
  'MODEL_REFUSED',
  'PROTOCOL_INVALID',
]);

export interface ModelClientOptions {
  readonly position: StepPosition;
  readonly scope: Pick<ActionScope, 'signal' | 'clock' | 'timers'>;
  readonly link: Pick<AttemptLink, 'callModel'>;
  readonly masker: Pick<Masker, 'json'>;
  readonly assignment: Pick<Assignment, 'secrets'>;
  /** Monotonic milliseconds. */
  deadline(): number;
  /** Error of a step that ran out of time; missing: only the call has a deadline. */
  timeoutError?(): PilothouseError;
}

/** No model takes images. */
export interface VisionUnavailable {
  readonly reason: string;
}

/** An answer that cannot be used. */
export interface RejectedAnswer {
  /** Sentence for the model. */
  readonly problem: string;
  /** True if its form could not be read. False: the provider blocked it, or it was cut off. */
  readonly isUnreadable: boolean;
}

export const isRejected = (answer: ModelAnswer | RejectedAnswer): answer is RejectedAnswer => 'problem' in answer;

/** Calls models through the gateway, without the secrets of the run. */
export class ModelClient {
  private readonly options: ModelClientOptions;

  constructor(options: ModelClientOptions) {
    this.options = options;
  }

  /**
   * @param onText called with the text so far while the model writes
   * @param acceptsTruncated the caller can use the beginning of an answer
   * @throws PilothouseError MODEL_NOT_CONFIGURED, MODEL_UNAVAILABLE, MODEL_REFUSED, BUDGET_EXCEEDED, STEP_TIMED_OUT; the reason of `signal`
   */
  async complete(
    request: ModelRequest,
    onText?: (text: string) => void,
    acceptsTruncated = false,
  ): Promise<ModelAnswer | RejectedAnswer> {
    const { scope, deadline, timeoutError } = this.options;
    const callDeadline = Math.min(deadline(), scope.clock.monotonic() + MAX_MODEL_TIMEOUT_MS);
    try {
      const answer = await this.callWhenFree(this.maskRequest(request), callDeadline, onText);
      if (answer.finish === 'length' && !acceptsTruncated)
        return { problem: 'The answer was cut off. Write less.', isUnreadable: false };
      return answer.finish === 'safety'
        ? { problem: 'The model provider blocked the answer', isUnreadable: false }
        : answer;
    } catch (thrown) {
      scope.signal.throwIfAborted();
      const error = toPilothouseError(thrown);
      const isUnavailable = error.code === 'MODEL_UNAVAILABLE' || error.code === 'UNAVAILABLE';
      if (isUnavailable && timeoutError && scope.clock.monotonic() > deadline() - TIMEOUT_MARGIN_MS)
        throw timeoutError();
      if (error.code !== 'MODEL_INVALID') throw thrown;
      return { problem: `The answer is not usable: ${error.message}`, isUnreadable: true };
    }
  }

  private async callWhenFree(
    request: ModelRequest,
    deadline: number,
    onText?: (text: string) => void,
  ): Promise<ModelAnswer> {
    const { link, position, scope } = this.options;
    for (;;) {
      try {
        return await link.callModel(position.number, request, { signal: scope.signal, deadline, onText });
      } catch (thrown) {
        const isFull = thrown instanceof PilothouseError && thrown.code === 'RATE_LIMITED';
        if (!isFull || scope.clock.monotonic() + RETRY_DELAY_MS > deadline) throw thrown;
      }
      await scope.timers.delay(RETRY_DELAY_MS, scope.signal);
    }
  }

  /** Like `complete`, but a missing vision model is a result. */
  async completeWithImages(
    request: ModelRequest,
    onText?: (text: string) => void,
  ): Promise<ModelAnswer | RejectedAnswer | VisionUnavailable> {
    try {
      return await this.complete(request, onText);
    } catch (thrown) {
      if (thrown instanceof PilothouseError && visionUnavailableErrors.has(thrown.code))
        return { reason: thrown.message };
      throw thrown;
    }
  }

  /** Replaces secrets with placeholders. In images they are covered already. */
  private maskRequest(request: ModelRequest): ModelRequest {
    const { messages, computer, ...rest } = request;
    const { masker, assignment } = this.options;
    const mask = <Value>(value: Value) => masker.json(value as unknown as Json) as unknown as Value;
    return {
      ...mask(rest),
      ...(computer && { computer: withUnchangedTurns(computer, mask(computer)) }),
      messages: messages.map(({ role, parts }) => ({
        role,
        parts: parts.map((part) => {
          if ('image' in part) return part;
          return 'text' in part ? { text: toCredentialPlaceholders(mask(part.text), assignment.secrets) } : mask(part);
        }),
      })),
    };
  }
}

/** Masked results of earlier turns. A turn that masking would change is left out with those before it: its provider accepts no other. */
function withUnchangedTurns(
  computer: NonNullable<ModelRequest['computer']>,
  masked: NonNullable<ModelRequest['computer']>,
): NonNullable<ModelRequest['computer']> {
  const { exchanges = [], ...rest } = masked;
  const changed = exchanges.findLastIndex(
    ({ turn }, index) => JSON.stringify(turn) !== JSON.stringify(computer.exchanges?.[index]?.turn),
  );
  const unchanged = exchanges.slice(changed + 1);
  return { ...rest, ...(unchanged.length > 0 && { exchanges: unchanged }) };
}

export const isVisionUnavailable = (answer: object | string): answer is VisionUnavailable =>
  typeof answer === 'object' && 'reason' in answer;

/** Random text around page content in prompts. Digits, because models read three of them as one token. */
export const newPromptBoundary = (): string => String(randomInt(10 ** 12)).padStart(12, '0');
