import type { ModelRequest } from '@pilothouse/contract';
import { toTextDialectRequest, type Clock, type Model, type ModelContext, type TextDialect } from '@pilothouse/core';
import { capabilitiesOf } from './abilities.ts';
import type { ModelRef } from './endpoint.ts';
import { callWithSupportedOptions, UnsupportedOptions } from './refusable.ts';

/**
 * A model that is asked for actions in the way in which it writes them: as the request says, else as its entry says. Of one that nobody
 * knows, functions are tried; where its endpoint refuses them, and answers without, it is asked without for an hour.
 * @param model an adapter: it asks once
 */
export function withTextDialect(model: Model, ref: ModelRef, clock: Clock): Model {
  const { dialect: known } = capabilitiesOf(ref);
  const functions = new UnsupportedOptions(
    ref,
    clock,
    'A model refuses functions and answers without: it is told in words how to write actions',
  );
  /** It has called a function: what is refused is refused for another reason. */
  let calls = false;

  const told = (request: ModelRequest, wanted: TextDialect, context: ModelContext) => {
    const { request: asked, dialect } = toTextDialectRequest(request, wanted);
    return callWithSupportedOptions({ dialect }, model.generate(asked, context));
  };

  return {
    generate: async (request, context) => {
      if (!request.tools) return model.generate(request, context);
      const dialect = request.dialect ?? known;
      if (dialect === 'calls') return callWithSupportedOptions({ dialect }, model.generate(request, context));
      if (dialect) return told(request, dialect, context);
      const offered = async () => {
        const answer = await model.generate(request, context);
        calls ||= answer.calls.length > 0;
        return answer;
      };
      return functions.ask(
        offered,
        () => told(request, 'aura', context),
        context,
        () => calls,
      );
    },
  };
}
