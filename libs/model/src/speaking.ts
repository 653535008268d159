import type { ModelRequest } from '@pilothouse/contract';
import { inWords, type Clock, type Model, type ModelContext, type TextDialect } from '@pilothouse/core';
import { abilitiesOf } from './abilities.ts';
import { nameOf, type ModelRef } from './endpoint.ts';
import { CallFailed } from './failure.ts';

/** Milliseconds after which a model that was found to take no functions is offered some again: its server may have learned it. */
const REMEMBERED_MS = 3_600_000;

/**
 * A model that is asked for actions in the way in which it writes them: as the request says, else as its entry says. Of one that nobody
 * knows, functions are tried; where its endpoint refuses them, and answers without, it is asked without for an hour.
 * @param model an adapter: it asks once
 */
export function speaking(model: Model, ref: ModelRef, clock: Clock): Model {
  const { dialect: known } = abilitiesOf(ref);
  /** Until when it is not offered functions, in monotonic milliseconds. */
  let refusesUntil = -Infinity;
  /** It has called a function: what is refused is refused for another reason. */
  let calls = false;

  const told = async (request: ModelRequest, wanted: TextDialect, context: ModelContext) => {
    const { request: asked, dialect } = inWords(request, wanted);
    return { ...(await model.generate(asked, context)), dialect };
  };

  return {
    generate: async (request, context) => {
      if (!request.tools) return model.generate(request, context);
      const dialect = request.dialect ?? known;
      if (dialect === 'calls') return { ...(await model.generate(request, context)), dialect };
      if (dialect) return told(request, dialect, context);
      if (clock.monotonic() < refusesUntil) return told(request, 'aura', context);
      try {
        const answer = await model.generate(request, context);
        calls ||= answer.calls.length > 0;
        return answer;
      } catch (thrown) {
        if (calls || !mayBeOfFunctions(thrown)) throw thrown;
        const answer = await told(request, 'aura', context).catch((other: unknown) => {
          context.signal.throwIfAborted();
          // Refused either way: what was wrong is what was said first.
          throw mayBeOfFunctions(other) ? thrown : other;
        });
        refusesUntil = clock.monotonic() + REMEMBERED_MS;
        context.log.warn(
          { model: nameOf(ref), error: (thrown as Error).message },
          'A model refuses functions and answers without: it is told in words how to write actions',
        );
        return answer;
      }
    },
  };
}

/** How endpoints refuse functions: the request, or that there is such a model; what they say is different with each. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 404, 422, 501]);

const mayBeOfFunctions = (thrown: unknown): boolean => thrown instanceof CallFailed && REFUSALS.has(thrown.status);
