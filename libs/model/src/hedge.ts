import { setTimeout as pause } from 'node:timers/promises';
import type { ModelAnswer } from '@pilothouse/contract';
import type { Context, Model, ModelContext } from '@pilothouse/core';

/** Why a call was given up: another one answered first. */
export class Outrun extends Error {
  constructor() {
    super('Another call answered first');
  }
}

/** Whether a call was given up because another one answered first. */
export const isOutrun = ({ signal }: Pick<Context, 'signal'>): boolean => signal.reason instanceof Outrun;

/**
 * A model that is asked a second time when it has not answered after a while: the first answer counts, the other call is given up (its
 * signal has an `Outrun` as reason). A call that fails before that is not asked again, and one that fails afterwards waits for the other.
 * @param second asked then: another model, or the same
 */
export function hedged(first: Model, second: Model, afterMs: number): Model {
  return {
    generate: async (request, context) => {
      const stops = [new AbortController(), new AbortController()] as const;
      const started: Promise<ModelAnswer>[] = [];
      const start = (model: Model, stop: AbortController, { said }: Pick<ModelContext, 'said'>) => {
        const call = model.generate(request, {
          ...context,
          said,
          signal: AbortSignal.any([context.signal, stop.signal]),
        });
        started.push(call);
        return call;
      };
      const own = new AbortController();
      const call = start(first, stops[0], context);
      const late = pause(afterMs, 'late' as const, { signal: own.signal });
      late.catch(() => undefined);
      try {
        const early = await Promise.race([call, late]);
        if (early !== 'late') return early;
        context.log.info({ afterMs }, 'A model has not answered yet; it is asked a second time');
        // Of two that speak at once only the first is heard before it has ended.
        return await Promise.any([call, start(second, stops[1], {})]).catch(() => call);
      } finally {
        own.abort();
        for (const stop of stops) stop.abort(new Outrun());
        // What the other call took is on record before the answer is used.
        await Promise.allSettled(started);
      }
    },
  };
}
