import { unwrapData } from '@pilothouse/client';
import { data, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { objectHref } from '../api/object-urls.server.ts';
import { redirectToObject } from '../api/redirect.ts';

/** Stable URL of an artifact. It redirects to a signed URL that expires after some minutes. */
export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { run = '', file = '' } = args.params;
    const { items } = await unwrapData(api.GET('/v1/runs/{run}/artifacts', { params: { path: { run } } }));
    const artifact = items.find(({ id }) => id === file);
    if (!artifact) throw data({ code: 'NOT_FOUND', message: 'This run has no such artifact.' }, { status: 404 });
    return redirectToObject(objectHref(artifact.url, args.context.get(renderContext).objectsEndpoint), {
      headers: { 'cache-control': 'private, max-age=300' },
    });
  });
