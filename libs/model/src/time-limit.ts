import { MAX_MODEL_TIMEOUT_MS, MODEL_TIMEOUT_MS, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ModelEntry } from '@pilothouse/contract/model/model-settings.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Model } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { fullModelName, type AdapterOptions, type Endpoint, type ModelRef } from './model-endpoint.ts';
import { ModelTimeoutError, isLoadingModel } from './provider-errors.ts';

/** Configured seconds of a call, of the model before those of its endpoint; undefined: not configured. */
export const timeoutSecondsOf = (
  endpoint: Pick<Endpoint, 'timeoutSeconds'>,
  entry: Pick<ModelEntry, 'timeoutSeconds'> | undefined,
): number | undefined => entry?.timeoutSeconds ?? endpoint.timeoutSeconds;

/** Milliseconds without data after which a stream is aborted; undefined: the answer is not streamed. */
export function silenceMsOf({ endpoint, entry }: Pick<AdapterOptions, 'endpoint' | 'entry'>): number | undefined {
  const seconds = timeoutSecondsOf(endpoint, entry);
  if (!endpoint.stream) return undefined;
  return seconds === undefined ? STREAM_SILENCE_MS : seconds * 1000;
}

/** Milliseconds without data after which a stream is aborted, without a setting. Providers send keep-alives or start within this time. */
const STREAM_SILENCE_MS = 60_000;

/** Time limit of the calls of a model. */
export interface TimeLimit {
  /** undefined: the default limit */
  readonly seconds: number | undefined;
  /** The limit is for the silence in a stream. A stream with data goes on until the maximum. Decided per request. */
  isStreamed(request: ModelRequest): boolean;
}

/** Milliseconds of a call that is not streamed. */
export const callLimitMs = (seconds: number | undefined): number =>
  seconds === undefined ? MODEL_TIMEOUT_MS : seconds * 1000;

/** Bounds a call, with its retries, by the time limit of its model. The error names the limit and the setting. */
export function withTimeLimit(model: Model, ref: ModelRef, { seconds, isStreamed }: TimeLimit, clock: Clock): Model {
  return {
    generate: async (request, context) => {
      const limitMs = isStreamed(request) ? MAX_MODEL_TIMEOUT_MS : callLimitMs(seconds);
      const limit = clock.monotonic() + limitMs;
      try {
        return await model.generate(request, { ...context, deadline: Math.min(context.deadline, limit) });
      } catch (thrown) {
        const isOwnLimit = limit <= context.deadline;
        if (context.signal.aborted || !isOwnLimit) throw thrown;
        if (thrown instanceof ModelTimeoutError)
          throw new ModelTimeoutError(
            `${fullModelName(ref)} did not answer within ${limitMs / 1000} s. ${settingOf(ref, limitMs)}`,
          );
        if (!isLoadingModel(thrown)) throw thrown;
        const { message } = toPilothouseError(thrown);
        const text = `${message}. It was not ready within ${limitMs / 1000} s. ${settingOf(ref, limitMs)}`;
        throw new PilothouseError('MODEL_UNAVAILABLE', text, { cause: thrown });
      }
    },
  };
}

/** Names the setting of the limit. */
export const settingOf = (ref: Pick<ModelRef, 'provider' | 'model'>, limitMs: number): string =>
  limitMs >= MAX_MODEL_TIMEOUT_MS
    ? 'This is the maximum: use a faster server or a shorter prompt'
    : `If the server is slow, raise \`timeoutSeconds\` of "${ref.provider}" in PILOTHOUSE_MODEL_ENDPOINTS, or of "${fullModelName(ref)}" in PILOTHOUSE_MODEL_OVERRIDES`;
