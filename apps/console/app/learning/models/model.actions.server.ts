import { unwrapData } from '@pilothouse/client';
import type { StartEvaluation } from '@pilothouse/contract';
import type { ActionFunctionArgs } from 'react-router';
import { tryApi, type Failure } from '../../api/api-client.server.ts';
import { textOf } from '../../api/form-fields.server.ts';
import { assertNever, intentOf } from '../../api/intent.server.ts';
import { redirectTo } from '../../auth/redirect.ts';
import { numberOf } from '../../shared/number-field.ts';
import { failureOfProblem } from '../form-failure.ts';

/** Result of a form of a registered model. */
export interface ModelActionResult {
  failure: Failure | undefined;
}

/** Evaluates, shadows, promotes, rolls back or deletes a model, or starts its canary. */
export async function action(args: ActionFunctionArgs): Promise<ModelActionResult> {
  const form = await args.request.formData();
  const intent = intentOf(form, ['evaluate', 'shadow', 'canary', 'promote', 'roll-back', 'delete']);
  if (intent === 'evaluate') return evaluate(args, form);
  const params = { path: { model: args.params.model ?? '' } };
  const text = textOf(form, 'reason').trim();
  const reason = text === '' ? {} : { reason: text };
  const { failure } = await tryApi<unknown>(args, ({ api }) => {
    switch (intent) {
      case 'shadow':
        return api.POST('/v1/registry/models/{model}/shadow', {
          params,
          body: { percent: Number(textOf(form, 'percent')), ...reason },
        });
      case 'canary':
        return api.POST('/v1/registry/models/{model}/canary', {
          params,
          body: { percent: Number(textOf(form, 'percent')), ...reason },
        });
      case 'promote':
        return api.POST('/v1/registry/models/{model}/promote', { params, body: reason });
      case 'roll-back':
        return api.POST('/v1/registry/models/{model}/roll-back', { params, body: reason });
      case 'delete':
        return api.DELETE('/v1/registry/models/{model}', { params });
      default:
        return assertNever(intent);
    }
  });
  if (intent === 'delete' && !failure) throw redirectTo('/learning/models');
  return { failure };
}

/** Starts an evaluation of the model, and one of its base. */
async function evaluate(args: ActionFunctionArgs, form: FormData): Promise<ModelActionResult> {
  const models = [args.params.model ?? '', textOf(form, 'against')].filter((model) => model !== '');
  try {
    const budgetUsd = numberOf('budgetUsd', textOf(form, 'budgetUsd'), { isInteger: false });
    const facts = { dataset: textOf(form, 'dataset'), ...(budgetUsd !== null && { budgetUsd }) };
    const { failure } = await tryApi<unknown>(args, async ({ api }) => {
      for (const model of models)
        await unwrapData(api.POST('/v1/learning/evaluations', { body: { model, ...facts } as StartEvaluation }));
    });
    return { failure };
  } catch (error) {
    return { failure: failureOfProblem(error) };
  }
}
