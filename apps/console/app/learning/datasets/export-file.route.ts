import { unwrapData } from '@pilothouse/client';
import { data, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { objectHref } from '../../api/object-urls.server.ts';
import { renderContext } from '../../api/request-context.server.ts';
import { redirectToObject } from '../../api/redirect.ts';

/** Files without screenshots: the API lists them first. */
const LISTED_FILES = 50;

/** Stable URL of an export's file, without its screenshots. It redirects to a signed URL. */
export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { dataset = '', export: id = '', file } = args.params;
    const params = { path: { dataset, export: id }, query: { limit: LISTED_FILES } };
    const { items } = await unwrapData(api.GET('/v1/datasets/{dataset}/exports/{export}/files', { params }));
    const found = items.find(({ name }) => name === file);
    if (!found) throw data({ code: 'NOT_FOUND', message: 'This export has no such file.' }, { status: 404 });
    return redirectToObject(objectHref(found.transfer.url, args.context.get(renderContext).objectsEndpoint));
  });
