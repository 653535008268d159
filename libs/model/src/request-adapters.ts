import type { ModelRequest, ModelTool } from '@pilothouse/contract/model/model.schema';
import { type TextDialect, toTextDialectRequest } from '@pilothouse/core/agent/prompts/text-dialect-request';
import { auraSchema, hasFunctionCalls } from '@pilothouse/core/agent/dialects/aura.dialect';
import { parseStructured, withJsonInstructions } from '@pilothouse/core/model/structured-output';
import { type Model, type ModelContext, UnusableAnswerError } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { capabilitiesOf } from './model-registry.ts';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { UnsupportedOptions, callWithSupportedOptions } from './provider-errors.ts';

/** Names that a model may call: the function, and the actions that it takes as a parameter. */
function callNamesOf({ name, parameters }: ModelTool): string[] {
  const { action } = (parameters['properties'] ?? {}) as { action?: { enum?: string[] } };
  return [name, ...(action?.enum ?? [])];
}

/** Maximum answers in a row without a call of an offered function. Then the model is asked for JSON. */
const MAX_ANSWERS_WITHOUT_CALL = 2;
/** Milliseconds for which it is asked for JSON. */
const JSON_TTL_MS = 3_600_000;

/**
 * Adds text dialects: actions are requested in the dialect of the request or of the model entry. For unknown models function calls are
 * tried; if the endpoint rejects them and answers without, it is called without them for an hour.
 * @param model an adapter without retries
 * @param plainModel the same without structured output
 */
export function withTextDialect(model: Model, plainModel: Model, ref: ModelRef, clock: Clock): Model {
  const { dialect: configuredDialect } = capabilitiesOf(ref);
  const functionSupport = new UnsupportedOptions(
    ref,
    clock,
    'model rejects functions, prompt describes the action format',
  );
  const schemaSupport = new UnsupportedOptions(
    ref,
    clock,
    'model rejects answer schemas, prompt describes the actions',
  );
  /** The model has called a function, so a rejection has another reason. */
  let hasCalledFunction = false;
  /** Answers without a call since the last call. */
  let answersWithoutCall = 0;
  /** Monotonic time until which actions are requested as JSON, because the model does not call functions. */
  let jsonUntilMs = -Infinity;
  const countCalls = (hasCalls: boolean, { log }: ModelContext) => {
    answersWithoutCall = hasCalls ? 0 : answersWithoutCall + 1;
    if (answersWithoutCall < MAX_ANSWERS_WITHOUT_CALL) return;
    answersWithoutCall = 0;
    jsonUntilMs = clock.monotonic() + JSON_TTL_MS;
    log.warn({ model: fullModelName(ref) }, 'model calls no functions, prompt describes the action format');
  };

  const generateInDialect = (request: ModelRequest, requestedDialect: TextDialect, context: ModelContext) => {
    const { request: dialectRequest, dialect } = toTextDialectRequest(request, requestedDialect);
    const generate = () => model.generate(dialectRequest, context);
    if (dialect !== 'aura' || ref.protocol !== 'openai') return callWithSupportedOptions({ dialect }, generate());
    const withSchema: ModelRequest = { ...dialectRequest, dialect, schema: auraSchema(request.tools ?? []) };
    const answer = schemaSupport.call(() => plainModel.generate(withSchema, context), generate, context);
    return callWithSupportedOptions({ dialect }, answer);
  };

  return {
    generate: async (request, context) => {
      if (!request.tools) return model.generate(request, context);
      const dialect = request.dialect ?? configuredDialect;
      if (dialect === 'calls') return callWithSupportedOptions({ dialect }, model.generate(request, context));
      if (dialect) return generateInDialect(request, dialect, context);
      if (clock.monotonic() < jsonUntilMs) return generateInDialect(request, 'aura', context);
      const generateWithFunctions = async () => {
        const answer = await model.generate(request, context).catch((error: unknown) => {
          if (error instanceof UnusableAnswerError && error.answer.usage.inputTokens > 0) countCalls(false, context);
          throw error;
        });
        const names = request.tools?.flatMap(callNamesOf) ?? [];
        const hasCalls = answer.native !== undefined || answer.calls.some(({ name }) => names.includes(name));
        hasCalledFunction ||= answer.calls.length > 0;
        if (answer.finish !== 'safety' && answer.finish !== 'length')
          countCalls(hasCalls || hasFunctionCalls(answer.text), context);
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
