import { unwrapData } from '@pilothouse/client';
import { data, type ActionFunctionArgs } from 'react-router';
import { tryApi, type Failure } from '../../api/api-client.server.ts';
import { textOf, intentOf } from '../../api/form-fields.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { failureOfProblem } from '../../shared/form-problem.ts';
import { newExportOf } from './export-form.ts';

/** Result of a dataset form. */
export interface DatasetActionResult {
  intent: 'build-version' | 'delete-dataset' | 'create-export';
  failure?: Failure | undefined;
  /** Id of the export that was created. */
  created?: string | undefined;
}

/** Builds the next version of a dataset, deletes it, or creates an export. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['build-version', 'delete-dataset', 'create-export']);
  const params = { path: { dataset: args.params.dataset ?? '' } };
  if (intent === 'create-export') return createExport(args, form);
  const { result, failure } = await tryApi(args, ({ api }) =>
    intent === 'build-version'
      ? unwrapData(api.POST('/v1/datasets/{dataset}/versions', { params }))
      : unwrapData(api.DELETE('/v1/datasets/{dataset}', { params })),
  );
  if (result) throw redirectTo(intent === 'build-version' ? `/learning/datasets/${result.id}` : '/learning/datasets');
  return answer({ intent, failure });
}

async function createExport(args: ActionFunctionArgs, form: FormData) {
  const intent = 'create-export';
  const params = { path: { dataset: args.params.dataset ?? '' } };
  const fields = {
    text: (field: string) => textOf(form, field),
    texts: (field: string) => form.getAll(field).filter((value) => typeof value === 'string'),
  };
  try {
    const body = newExportOf(fields);
    const { result, failure } = await tryApi(args, ({ api }) =>
      unwrapData(api.POST('/v1/datasets/{dataset}/exports', { params, body })),
    );
    return answer({ intent, failure, created: result?.id });
  } catch (error) {
    return answer({ intent, failure: failureOfProblem(error) });
  }
}

const answer = (result: DatasetActionResult) => data(result, { status: result.failure ? 400 : 200 });
