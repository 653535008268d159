import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { shortenRequest, type ShortenedRequest } from '@pilothouse/core/model/shorten-request';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import { fullModelName, type ModelRef } from './model-endpoint.ts';
import { BYTES_PER_TOKEN, capabilitiesOf, estimateInputTokens } from './model-registry.ts';
import { refusedContextTokens, type ModelCallError } from './provider-errors.ts';

/** Largest part of a context window that is reserved for the answer. */
const MAX_ANSWER_SHARE = 1 / 4;

/** A request that fits. `shortened` is null if nothing was cut. */
export type FittingRequest = Omit<ShortenedRequest, 'shortened'> & {
  readonly shortened: ShortenedRequest['shortened'] | null;
};

/**
 * Fits a request into the context window of its model. Goal, rules and functions are never cut.
 * @param contextTokens undefined: unknown, nothing is cut
 * @throws PilothouseError MODEL_REFUSED if the rest alone is too long
 */
export function fitContext(
  ref: ModelRef,
  request: ModelRequest,
  contextTokens = capabilitiesOf(ref).contextTokens,
): FittingRequest {
  if (contextTokens === undefined) return { request, shortened: null };
  const maxAnswerTokens = Math.floor(contextTokens * MAX_ANSWER_SHARE);
  const maxTokens = request.maxTokens === undefined ? maxAnswerTokens : Math.min(request.maxTokens, maxAnswerTokens);
  const bounded = { ...request, maxTokens };
  const inputTokens = estimateInputTokens(bounded);
  const excessTokens = inputTokens - (contextTokens - maxTokens);
  if (excessTokens <= 0) return { request: bounded, shortened: null };
  const shortened = shortenRequest(bounded, excessTokens * BYTES_PER_TOKEN);
  if (shortened) return shortened;
  throw new PilothouseError(
    'MODEL_REFUSED',
    `The prompt needs about ${inputTokens} tokens, and ${fullModelName(ref)} has a context window of ${contextTokens}, ${maxTokens} of them for the answer. Goal, rules and functions cannot be cut: start the server with a larger context and set \`contextTokens\`, or set \`profile: compact\` in PILOTHOUSE_MODEL_OVERRIDES`,
  );
}

/** Share of a named context window that an estimate may use: the server counted more than the estimate. */
const SAFETY = 0.75;

/** Calls again with a shorter prompt after a server named its context window, and remembers it. */
export function withLearnedContext(model: Model, ref: ModelRef): Model {
  let learnedTokens: number | undefined;
  const call = async ({ request, shortened }: FittingRequest, context: ModelContext): Promise<ModelAnswer> => ({
    ...(shortened && { shortened }),
    ...(await model.generate(request, context)),
  });
  return {
    generate: async (request, context) => {
      const first =
        learnedTokens === undefined ? { request, shortened: null } : fitContext(ref, request, learnedTokens);
      try {
        return await call(first, context);
      } catch (thrown) {
        const tokens = refusedContextTokens(thrown);
        if (tokens === null) throw thrown;
        learnedTokens = Math.floor(tokens * SAFETY);
        const second = fitContext(ref, request, learnedTokens);
        if (!isShorter(second.request, first.request)) throw withSetting(thrown as ModelCallError, ref, tokens);
        context.log.warn({ model: fullModelName(ref), contextTokens: tokens }, 'prompt too long, shortened');
        // The caller counts the two calls as one.
        return await call(second, { ...context, onStart: undefined }).catch((error: unknown) => {
          const repeatedTokens = refusedContextTokens(error);
          throw repeatedTokens === null ? error : withSetting(error as ModelCallError, ref, repeatedTokens);
        });
      }
    },
  };
}

/** True if a request has a shorter prompt, or reserves fewer tokens for the answer. */
const isShorter = (request: ModelRequest, previous: ModelRequest): boolean =>
  estimateInputTokens(request) < estimateInputTokens(previous) ||
  (request.maxTokens ?? Infinity) < (previous.maxTokens ?? Infinity);

const withSetting = ({ code, message }: ModelCallError, ref: ModelRef, tokens: number) =>
  new PilothouseError(
    code,
    `${message}. Start the server with a larger context, or set \`contextTokens: ${tokens}\` for "${fullModelName(ref)}" in PILOTHOUSE_MODEL_OVERRIDES`,
  );
