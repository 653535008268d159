import { data, type ActionFunctionArgs } from 'react-router';
import { tryApi } from '../api/api-client.server.ts';
import { textOf, intentOf } from '../api/form-fields.server.ts';
import { changeRuns } from './run-page.server.ts';

/** Cancels or retries runs, and saves or deletes views. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const runs = form.getAll('run').filter((run) => typeof run === 'string');
  const intent = intentOf(form, ['cancel', 'retry', 'save-view', 'delete-view']);
  if (intent === 'save-view' || intent === 'delete-view') return changeViews(args, intent, form);
  const answer = await tryApi(args, (client) => changeRuns(client, runs, intent));
  return data(answer, { status: answer.failure ? 400 : 200 });
}

async function changeViews(args: ActionFunctionArgs, intent: 'save-view' | 'delete-view', form: FormData) {
  const view = textOf(form, 'view');
  const body = {
    name: textOf(form, 'name'),
    search: textOf(form, 'search'),
    shared: form.get('shared') === 'on',
  };
  const { failure } = await tryApi(args, async ({ api }) => {
    if (intent === 'delete-view') await api.DELETE('/v1/saved-views/{view}', { params: { path: { view } } });
    else await api.POST('/v1/saved-views', { body });
  });
  return data({ failure, result: undefined }, { status: failure ? 400 : 200 });
}
