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
 * Adds text dialects: actions are requested in the dialect of the request or of the model entry. For unknown models function calls are
 * tried; if the endpoint rejects them and answers without, it is called without them for an hour.
 * @param model an adapter without retries
 */
export function withTextDialect(model: Model, ref: ModelRef, clock: Clock): Model {
  const { dialect: known } = capabilitiesOf(ref);
  const functions = new UnsupportedOptions(
    ref,
    clock,
    'A model refuses functions and answers without: it is told in words how to write actions',
  );
  /** The model has called a function, so a rejection has another reason. */
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
 * Adds structured output for endpoints without support: if the endpoint rejects schemas and answers without, the schema goes into the
 * prompt for an hour; after a success only for that request. The answer is validated here.
 * @param model an adapter without retries
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
