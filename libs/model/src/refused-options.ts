import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { imagesOf } from '@pilothouse/core/model/request-images';
import { NoImageInputError, type Model } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { fullModelName, type ModelRef } from './model-endpoint.ts';
import { capabilitiesOf } from './model-registry.ts';
import { ModelCallError } from './provider-errors.ts';

/** Milliseconds for which an endpoint is called without an option that it refused. */
const REFUSED_TTL_MS = 3_600_000;

const INVALID_REQUEST_STATUSES: ReadonlySet<number | null> = new Set([400, 422]);

/**
 * Leaves out the temperature for models that refuse it. For other models it is left out for an hour after an error that names it.
 * @param model an adapter without retries
 */
export function withTemperatureSupport(model: Model, ref: ModelRef, clock: Clock): Model {
  let refusedUntilMs = capabilitiesOf(ref).temperature ? -Infinity : Infinity;
  return {
    generate: async (request, context) => {
      const { temperature, ...others } = request;
      if (temperature === undefined) return model.generate(request, context);
      if (clock.monotonic() < refusedUntilMs) return model.generate(others, context);
      try {
        return await model.generate(request, context);
      } catch (thrown) {
        if (!isTemperatureRefusal(thrown)) throw thrown;
        const answer = await model.generate(others, context);
        refusedUntilMs = clock.monotonic() + REFUSED_TTL_MS;
        context.log.warn({ model: fullModelName(ref) }, 'model refuses the temperature, called without it');
        return answer;
      }
    },
  };
}

const isTemperatureRefusal = (thrown: unknown): boolean =>
  thrown instanceof ModelCallError &&
  INVALID_REQUEST_STATUSES.has(thrown.status) &&
  thrown.reason.toLowerCase().includes('temperature');

/**
 * Reads a server error that names images as "takes no images", for an hour. llama.cpp answers HTTP 500 to images if it has no projector.
 * @param model an adapter without retries
 */
export function withImageSupport(model: Model, ref: ModelRef, clock: Clock): Model {
  let refusal: { readonly untilMs: number; readonly error: NoImageInputError } | undefined;
  let lastAcceptedAtMs = -Infinity;
  return {
    generate: async (request, context) => {
      if (imagesOf(request).length === 0) return model.generate(request, context);
      if (refusal && clock.monotonic() < refusal.untilMs) throw refusal.error;
      try {
        const answer = await model.generate(request, context);
        lastAcceptedAtMs = clock.monotonic();
        return answer;
      } catch (thrown) {
        // An endpoint that accepted an image rejected only this one.
        const hasAcceptedImage = clock.monotonic() - lastAcceptedAtMs <= REFUSED_TTL_MS;
        if (hasAcceptedImage || !isImageRefusal(thrown)) throw thrown;
        const error = new NoImageInputError(
          `${fullModelName(ref)} takes no images: ${thrown.reason.slice(0, 200)}. Set \`acceptsImages: false\` for it in PILOTHOUSE_MODEL_OVERRIDES, or start the server with its image projector`,
        );
        refusal = { untilMs: clock.monotonic() + REFUSED_TTL_MS, error };
        throw error;
      }
    },
  };
}

const IMAGE_WORDS = ['image input', 'mmproj', 'multimodal', 'does not support image', 'images are not supported'];

/** Statuses of a server that takes no images. Others have another reason, and texts of 401 and 403 may quote the key. */
const IMAGE_REFUSAL_STATUSES: ReadonlySet<number | null> = new Set([400, 415, 422, 500, 501]);

/** True if a server says that it takes no images. */
export function isImageRefusal(thrown: unknown): thrown is ModelCallError {
  if (!(thrown instanceof ModelCallError) || !IMAGE_REFUSAL_STATUSES.has(thrown.status)) return false;
  const reason = thrown.reason.toLowerCase();
  return IMAGE_WORDS.some((word) => reason.includes(word));
}

/** Maximum output tokens after answers that were cut off, if the model has no known limit. */
const DEFAULT_MAX_OUTPUT_TOKENS = 16_000;

/** Raises the output tokens of requests for models that spend them on reasoning. */
export class OutputTokens {
  private readonly ref: ModelRef;
  /** Lowest output limit of a request. Rises after an answer that was cut off. */
  private floor: number;

  constructor(ref: ModelRef) {
    this.ref = ref;
    this.floor = capabilitiesOf(ref).minOutputTokens;
  }

  /** @param max limit that a user configured; undefined: none */
  apply(request: ModelRequest, max: number | undefined): ModelRequest {
    const { maxTokens } = request;
    const { outputTokens = Infinity } = capabilitiesOf(this.ref);
    if (maxTokens === undefined) return outputTokens === Infinity ? request : { ...request, maxTokens: outputTokens };
    return { ...request, maxTokens: Math.min(Math.max(maxTokens, this.floor), max ?? Infinity, outputTokens) };
  }

  /** Raises the floor to twice the limit of a request whose answer was cut off. */
  onAnswer(request: ModelRequest, { finish }: Pick<ModelAnswer, 'finish'>): void {
    if (finish !== 'length' || request.maxTokens === undefined) return;
    const { outputTokens = DEFAULT_MAX_OUTPUT_TOKENS } = capabilitiesOf(this.ref);
    this.floor = Math.min(Math.max(this.floor, request.maxTokens * 2), outputTokens);
  }
}
