import { createHash } from 'node:crypto';
import { unwrapData } from '@pilothouse/client';
import type { StartEvaluation } from '@pilothouse/contract/learning/offline-evaluation.schema';
import type { ActionFunctionArgs } from 'react-router';
import { tryApi, type Failure } from '../../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../../api/form-fields.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { numberOf, failureOfProblem } from '../../shared/form-problem.ts';

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

/** Starts an evaluation of the model, and one of its base. A repeated form does not start them again. */
async function evaluate(args: ActionFunctionArgs, form: FormData): Promise<ModelActionResult> {
  const models = [args.params.model ?? '', textOf(form, 'against')].filter((model) => model !== '');
  const started: string[] = [];
  try {
    const budgetUsd = numberOf('budgetUsd', textOf(form, 'budgetUsd'), { isInteger: false });
    const facts = { dataset: textOf(form, 'dataset'), ...(budgetUsd !== null && { budgetUsd }) };
    const { failure } = await tryApi<unknown>(args, async ({ api }) => {
      for (const model of models) {
        const body = { model, ...facts } as StartEvaluation;
        const params = { header: { 'idempotency-key': keyOf(textOf(form, 'formToken'), body) } };
        await unwrapData(api.POST('/v1/learning/evaluations', { params, body }));
        started.push(model);
      }
    });
    const [first] = started;
    if (!failure || first === undefined) return { failure };
    const message = `The evaluation of ${first} started. That of ${models[started.length]} failed: ${failure.message}`;
    return { failure: { ...failure, message } };
  } catch (error) {
    return { failure: failureOfProblem(error) };
  }
}

/** Idempotency key of an evaluation. A changed form has another one. */
const keyOf = (formToken: string, body: StartEvaluation): string =>
  createHash('sha256')
    .update(JSON.stringify([formToken, body]))
    .digest('hex');
