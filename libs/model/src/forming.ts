import type { ModelRequest } from '@pilothouse/contract';
import {
  withJsonInstructions,
  parseStructured,
  UnusableAnswerError,
  type Clock,
  type Model,
  type ModelContext,
} from '@pilothouse/core';
import { fullModelName, type ModelRef } from './endpoint.ts';
import { callWithSupportedOptions, UnsupportedOptions } from './refusable.ts';

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
        () => callWithSupportedOptions({ form: 'words' }, told(request, schema, context)),
        context,
      );
    },
  };
}
