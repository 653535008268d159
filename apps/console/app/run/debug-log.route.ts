import { unwrapData } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { debugLogKind, parseDebugLog, type DebugLog } from './tabs/debug-log.ts';

/** Maximum duration of the download, and maximum size of a log that is shown; larger logs can be downloaded. */
const RESPONSE_TIMEOUT_MS = 20_000;
const MAX_BYTES = 48 * 1024 * 1024;

/** Console or network log of a run. This server reads it, because pages may not access the origin of the object store. */
export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<DebugLog>> =>
  tryApi(args, async ({ api }) => {
    const { run = '', file = '' } = args.params;
    const { items } = await unwrapData(api.GET('/v1/runs/{run}/artifacts', { params: { path: { run } } }));
    const artifact = items.find(({ id }) => id === file);
    const kind = artifact && debugLogKind(artifact);
    if (!artifact || !kind) throw new PilothouseError('NOT_FOUND', 'The run has no such console or network file.');
    if (artifact.size > MAX_BYTES)
      throw new PilothouseError('CONFLICT', 'It is too long to be shown here: download it.');
    const { pathname, search } = new URL(artifact.url);
    const isApiObject = pathname.startsWith('/v1/objects/');
    const url = isApiObject ? new URL(pathname + search, args.context.get(renderContext).apiUrl) : artifact.url;
    const signal = AbortSignal.any([args.request.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
    const response = await fetch(url, { signal });
    if (!response.ok) throw new PilothouseError('UNAVAILABLE', `The file was answered with ${response.status}.`);
    return parseDebugLog(kind, await response.text());
  });
