import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { imagesOf } from '@pilothouse/core/model/request-images';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { type Timer, type Timers, systemTimers } from '@pilothouse/core/time/timers';
import { ModelCallError } from './provider-errors.ts';

/** Abort reason of a call: another one answered first. */
export class HedgeLost extends Error {
  constructor() {
    super('Another call answered first');
  }
}

/** True if a call was aborted because another one answered first. */
export const isHedgeLost = ({ signal }: Pick<Context, 'signal'>): boolean => signal.reason instanceof HedgeLost;

/**
 * Adds hedging: if the first call has not answered after a delay, a second call starts. The first answer wins, and the other call is
 * aborted with `HedgeLost`. A call that fails before the delay is not hedged; one that fails later waits for the other. The delay counts
 * only between `onStart` and `onEnd`, and restarts when a fallback model is called.
 * @param first reports to its context when it begins and ends
 * @param second the hedge: another model, or the same one
 */
export function withHedging(first: Model, second: Model, afterMs: number, timers: Timers = systemTimers): Model {
  return {
    generate: async (request, context) => {
      const controllers = [new AbortController(), new AbortController()] as const;
      const calls: Promise<ModelAnswer>[] = [];
      const delayElapsed = Promise.withResolvers<'elapsed'>();
      let timer: Timer | undefined;
      const start = (model: Model, index: 0 | 1, callbacks: Pick<ModelContext, 'onText' | 'onStart'>) => {
        const [controller, otherController] = index === 0 ? controllers : [controllers[1], controllers[0]];
        const onEnd = (isAnswer: boolean) => {
          if (index === 0) timers.clearTimeout(timer);
          if (isAnswer && !controller.signal.aborted) otherController.abort(new HedgeLost());
        };
        const signal = AbortSignal.any([context.signal, controller.signal]);
        const modelCall = model.generate(request, { ...context, ...callbacks, onEnd: onEnd, signal });
        calls.push(modelCall);
        return modelCall;
      };
      const onStart = () => void (timer = timers.setTimeout(() => delayElapsed.resolve('elapsed'), afterMs));
      const firstCall = start(first, 0, { onText: context.onText, onStart: onStart });
      try {
        const result = await Promise.race([firstCall, delayElapsed.promise]);
        if (result !== 'elapsed') return result;
        context.log.info({ afterMs }, 'model slow, hedge call started');
        // Only the first call reports partial text and its start.
        const secondCall = start(second, 1, { onText: undefined, onStart: undefined });
        return await Promise.any([firstCall, secondCall]).catch(() =>
          controllers[0].signal.aborted ? secondCall : firstCall,
        );
      } finally {
        timers.clearTimeout(timer);
        for (const stop of controllers) stop.abort(new HedgeLost());
        // Usage of the other call is recorded before the answer is used.
        await Promise.allSettled(calls);
      }
    },
  };
}

/**
 * Adds fallbacks: if a model is unavailable, or its provider does not know it, the next one is called. So it is if a provider rejects a
 * request with images, because not every model takes them. Blocked or unusable answers cause no fallback.
 * @param models in order of preference
 * @param rejections errors of models of the list that cannot answer and are not called
 * @throws PilothouseError with the messages of all models if all of them fail
 */
export function withFallback(models: readonly Model[], rejections: readonly PilothouseError[] = []): Model {
  return {
    generate: async (request, context) => {
      const errors = [...rejections];
      for (const [index, model] of models.entries()) {
        try {
          return await model.generate(request, context);
        } catch (thrown) {
          context.signal.throwIfAborted();
          const error = toPilothouseError(thrown);
          if (!isNextModelCalled(error, request)) throw error;
          errors.push(error);
          if (index < models.length - 1)
            context.log.warn({ error: error.message }, 'model failed, calling the next one');
        }
      }
      throw chainError(errors, request);
    },
  };
}

const FALLBACK_CODES: ReadonlySet<string> = new Set(['MODEL_UNAVAILABLE', 'MODEL_NOT_CONFIGURED']);

const isNextModelCalled = (error: PilothouseError, request: ModelRequest): boolean =>
  FALLBACK_CODES.has(error.code) || (error instanceof ModelCallError && imagesOf(request).length > 0);

/**
 * A request with images fails permanently if one of the models can never answer it: its caller continues without images. Any other request
 * may succeed later if one of the models was unavailable.
 */
function chainError(errors: readonly PilothouseError[], request: ModelRequest): PilothouseError {
  const [first] = errors;
  if (!first) return new PilothouseError('MODEL_NOT_CONFIGURED', 'No model is configured for this role');
  if (errors.length === 1) return first;
  const hasImages = imagesOf(request).length > 0;
  const isUnavailable = ({ code }: PilothouseError) => code === 'MODEL_UNAVAILABLE';
  const { code, details } =
    (hasImages ? errors.find((error) => !isUnavailable(error)) : errors.findLast(isUnavailable)) ?? first;
  const messages = errors.map(({ message }) => message).join('; ');
  const text = hasImages
    ? `No model answered a request with images: ${messages}. Set a reachable model with image input for the role "${request.role}"`
    : `No model answered: ${messages}`;
  return new PilothouseError(code, text, { ...(details && { details }) });
}
