import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { type TextDialect, toTextDialectRequest } from '@pilothouse/core/agent/dialects/text-dialect-request';
import { parseStructured, withJsonInstructions } from '@pilothouse/core/model/structured-output';
import { type Model, type ModelContext, UnusableAnswerError } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { capabilitiesOf } from './model-registry.ts';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { UnsupportedOptions, callWithSupportedOptions } from './provider-errors.ts';

/**
 * Adds text dialects: actions are requested in the dialect of the request or of the model entry. For unknown models function calls are
 * tried; if the endpoint rejects them and answers without, it is called without them for an hour.
 * @param model an adapter without retries
 */
export function withTextDialect(model: Model, ref: ModelRef, clock: Clock): Model {
  const { dialect: configuredDialect } = capabilitiesOf(ref);
  const functionSupport = new UnsupportedOptions(
    ref,
    clock,
    'model rejects functions, prompt describes the action format',
  );
  /** The model has called a function, so a rejection has another reason. */
  let hasCalledFunction = false;

  const generateInDialect = (request: ModelRequest, requestedDialect: TextDialect, context: ModelContext) => {
    const { request: dialectRequest, dialect } = toTextDialectRequest(request, requestedDialect);
    return callWithSupportedOptions({ dialect }, model.generate(dialectRequest, context));
  };

  return {
    generate: async (request, context) => {
      if (!request.tools) return model.generate(request, context);
      const dialect = request.dialect ?? configuredDialect;
      if (dialect === 'calls') return callWithSupportedOptions({ dialect }, model.generate(request, context));
      if (dialect) return generateInDialect(request, dialect, context);
      const generateWithFunctions = async () => {
        const answer = await model.generate(request, context);
        hasCalledFunction ||= answer.calls.length > 0;
        return answer;
      };
      return functionSupport.call(
        generateWithFunctions,
        () => generateInDialect(request, 'aura', context),
        context,
        () => hasCalledFunction,
      );
    },
  };
}

/**
 * Adds structured output for endpoints without support. An endpoint that rejects schemas and answers without gets the
 * schema in the prompt for an hour; after a success only for that request. The answer is validated here.
 * @param model an adapter without retries
 */
export function withStructuredOutput(model: Model, ref: ModelRef, clock: Clock): Model {
  const schemaSupport = new UnsupportedOptions(ref, clock, 'model rejects answer schemas, prompt describes the schema');

  const generateWithInstructions = async (
    request: ModelRequest,
    schema: NonNullable<ModelRequest['schema']>,
    context: ModelContext,
  ) => {
    const answer = await model.generate(withJsonInstructions(request), context);
    if (answer.finish !== 'stop') return answer;
    const parsed = parseStructured(schema, answer.text);
    if ('value' in parsed) return { ...answer, text: JSON.stringify(parsed.value) };
    throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} is not usable: ${parsed.problem}`, answer);
  };

  return {
    generate: async (request, context) => {
      const { schema } = request;
      if (!schema) return model.generate(request, context);
      return schemaSupport.call(
        () => model.generate(request, context),
        () => callWithSupportedOptions({ schemaMode: 'prompt' }, generateWithInstructions(request, schema, context)),
        context,
      );
    },
  };
}
