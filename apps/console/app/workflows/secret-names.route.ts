import { unwrapData } from '@pilothouse/client';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi } from '../api/api-client.server.ts';
import { readPages } from '../api/read-pages.server.ts';

/** Names of the project's secrets, for the forms of runs. A form without them still takes a value. */
export const loader = (args: LoaderFunctionArgs) =>
  tryApi(args, async ({ api }) => {
    const secrets = await readPages((query) => unwrapData(api.GET('/v1/secrets', { params: { query } })));
    return secrets.map(({ name }) => name);
  });
