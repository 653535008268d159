import type { ModelRequest } from '@pilothouse/contract';
import {
  type Clock,
  type Model,
  type ModelContext,
  type TextDialect,
  UnusableAnswerError,
  parseStructured,
  toTextDialectRequest,
  withJsonInstructions,
} from '@pilothouse/core';
import { capabilitiesOf } from './model-registry.ts';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { UnsupportedOptions, callWithSupportedOptions } from './provider-errors.ts';

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

/**
 * A model that is asked for answers in a form. Where its endpoint refuses forms, and answers without, it is told in words which is wanted, for
 * an hour; one that has taken a form, for that request. What it answers then is checked here.
 * @param model an adapter: it asks once
 */
export function withStructuredOutput(model: Model, ref: ModelRef, clock: Clock): Model {
  const forms = new UnsupportedOptions(
    ref,
    clock,
    'A model refuses forms of answers and answers without: it is told in words which is wanted',
  );

  const told = async (request: ModelRequest, schema: NonNullable<ModelRequest['schema']>, context: ModelContext) => {
    const answer = await model.generate(withJsonInstructions(request), context);
    if (answer.finish !== 'stop') return answer;
    const read = parseStructured(schema, answer.text);
    if ('value' in read) return { ...answer, text: JSON.stringify(read.value) };
    throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} cannot be used: ${read.problem}`, answer);
  };

  return {
    generate: async (request, context) => {
      const { schema } = request;
      if (!schema) return model.generate(request, context);
      return forms.ask(
        () => model.generate(request, context),
        () => callWithSupportedOptions({ schemaMode: 'prompt' }, told(request, schema, context)),
        context,
      );
    },
  };
}
