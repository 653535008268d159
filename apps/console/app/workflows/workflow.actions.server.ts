import type { ActionFunctionArgs } from 'react-router';
import { tryApi } from '../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../api/form-fields.server.ts';

const intents = ['publish', 'archive', 'unarchive', 'set-thumbnail', 'remove-thumbnail'] as const;

const messages: Readonly<Record<(typeof intents)[number], (version: string) => string>> = {
  publish: (version) => `v${version} published`,
  archive: () => 'Workflow archived',
  unarchive: () => 'Workflow unarchived',
  'set-thumbnail': () => 'Thumbnail changed',
  'remove-thumbnail': () => 'Thumbnail removed',
};

/** Publishes a version, archives or restores the workflow, or changes its thumbnail. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const params = { path: { workflow: args.params.workflow ?? '' } };
  const intent = intentOf(form, intents);
  const { failure } = await tryApi<unknown>(args, ({ api }) => {
    switch (intent) {
      case 'publish': {
        const body = { version: Number(textOf(form, 'version')) };
        return api.POST('/v1/workflows/{workflow}/publish', { params, body });
      }
      case 'archive':
        return api.POST('/v1/workflows/{workflow}/archive', { params });
      case 'unarchive':
        return api.POST('/v1/workflows/{workflow}/unarchive', { params });
      case 'set-thumbnail':
        return api.PUT('/v1/workflows/{workflow}/thumbnail', { params, body: { image: textOf(form, 'thumbnail') } });
      case 'remove-thumbnail':
        return api.DELETE('/v1/workflows/{workflow}/thumbnail', { params });
      default:
        return assertNever(intent);
    }
  });
  return failure ? { failure } : { message: messages[intent](textOf(form, 'version')) };
}
