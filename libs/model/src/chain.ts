import { PilothouseError, toPilothouseError } from '@pilothouse/contract';
import type { Model } from '@pilothouse/core';

/**
 * A model that stands for several: the next is asked when one does not answer, or is not known to its provider. Never because a provider
 * blocked an answer, or because an answer cannot be used.
 * @param models the first is preferred
 */
export function withFallback(models: readonly Model[]): Model {
  return {
    generate: async (request, context) => {
      let last = new PilothouseError('MODEL_NOT_CONFIGURED', 'No model is set for this');
      for (const [index, model] of models.entries()) {
        try {
          return await model.generate(request, context);
        } catch (thrown) {
          context.signal.throwIfAborted();
          last = toPilothouseError(thrown);
          if (!passesOn.has(last.code)) throw last;
          if (index < models.length - 1) context.log.warn({ error: last.message }, 'A model failed; the next is asked');
        }
      }
      throw last;
    },
  };
}

const passesOn: ReadonlySet<string> = new Set(['MODEL_UNAVAILABLE', 'MODEL_NOT_CONFIGURED']);
