import { type ModelAnswer, PilothouseError, toPilothouseError } from '@pilothouse/contract';
import { type Context, type Model, type ModelContext, type Timer, type Timers, systemTimers } from '@pilothouse/core';

/** Why a call was given up: another one answered first. */
export class HedgeLost extends Error {
  constructor() {
    super('Another call answered first');
  }
}

/** Whether a call was aborted because another one answered first. */
export const isHedgeLost = ({ signal }: Pick<Context, 'signal'>): boolean => signal.reason instanceof HedgeLost;

/**
 * Adds hedging: if the first call has not answered after a delay, a second call starts. The first answer wins, and the other call is
 * aborted with `HedgeLost`. A call that fails before the delay is not hedged; one that fails later waits for the other. The delay counts
 * only between `began` and `ended`, and restarts when a fallback model is called.
 * @param first reports to its context when it begins and ends
 * @param second the hedge: another model, or the same one
 */
export function withHedging(first: Model, second: Model, afterMs: number, timers: Timers = systemTimers): Model {
  return {
    generate: async (request, context) => {
      const stops = [new AbortController(), new AbortController()] as const;
      const started: Promise<ModelAnswer>[] = [];
      const late = Promise.withResolvers<'late'>();
      let timer: Timer | undefined;
      const start = (model: Model, own: 0 | 1, told: Pick<ModelContext, 'said' | 'began'>) => {
        const [stop, other] = own === 0 ? stops : [stops[1], stops[0]];
        const ended = (isAnswer: boolean) => {
          if (own === 0) timers.clearTimeout(timer);
          if (isAnswer && !stop.signal.aborted) other.abort(new HedgeLost());
        };
        const signal = AbortSignal.any([context.signal, stop.signal]);
        const call = model.generate(request, { ...context, ...told, ended, signal });
        started.push(call);
        return call;
      };
      const began = () => void (timer = timers.setTimeout(() => late.resolve('late'), afterMs));
      const call = start(first, 0, { said: context.said, began });
      try {
        const early = await Promise.race([call, late.promise]);
        if (early !== 'late') return early;
        context.log.info({ afterMs }, 'A model has not answered yet; it is asked a second time');
        // Of two that speak at once only the first is heard before it has ended.
        const other = start(second, 1, { said: undefined, began: undefined });
        return await Promise.any([call, other]).catch(() => (stops[0].signal.aborted ? other : call));
      } finally {
        timers.clearTimeout(timer);
        for (const stop of stops) stop.abort(new HedgeLost());
        // Usage of the other call is recorded before the answer is used.
        await Promise.allSettled(started);
      }
    },
  };
}

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
