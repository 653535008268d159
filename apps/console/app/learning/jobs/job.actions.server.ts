import type { ActionFunctionArgs } from 'react-router';
import { tryApi, type Failure } from '../../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../../api/form-fields.server.ts';
import { numberOf, failureOfProblem } from '../../shared/form-problem.ts';

/** Result of a job form. */
export interface JobActionResult {
  failure: Failure | undefined;
}

/** Cancels or retries a job. */
export async function action(args: ActionFunctionArgs): Promise<JobActionResult> {
  const form = await args.request.formData();
  const intent = intentOf(form, ['cancel-job', 'retry-job']);
  const params = { path: { job: args.params.job ?? '' } };
  try {
    const budgetUsd = numberOf('budgetUsd', textOf(form, 'budgetUsd'), { isInteger: false });
    const { failure } = await tryApi<unknown>(args, ({ api }) => {
      switch (intent) {
        case 'cancel-job':
          return api.POST('/v1/learning/jobs/{job}/cancel', { params });
        case 'retry-job':
          return api.POST('/v1/learning/jobs/{job}/retry', { params, body: budgetUsd === null ? {} : { budgetUsd } });
        default:
          return assertNever(intent);
      }
    });
    return { failure };
  } catch (error) {
    return { failure: failureOfProblem(error) };
  }
}
