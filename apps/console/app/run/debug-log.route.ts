import { unwrapData } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { debugLogKind, parseDebugLog, type DebugLog } from './tabs/debug-log.ts';

/** Milliseconds that the store may take, and the largest trace that is shown as rows, in bytes; a larger one can be downloaded. */
const answerMs = 20_000;
const mostBytes = 48 * 1024 * 1024;

/** What a page wrote to its console, or asked of the network. The store may be another origin, which pages may not ask: this server does. */
export const loader = (asked: LoaderFunctionArgs): Promise<ApiResult<DebugLog>> =>
  tryApi(asked, async ({ api }) => {
    const { run = '', file = '' } = asked.params;
    const { items } = await unwrapData(api.GET('/v1/runs/{run}/artifacts', { params: { path: { run } } }));
    const found = items.find(({ id }) => id === file);
    const kind = found && debugLogKind(found);
    if (!found || !kind) throw new PilothouseError('NOT_FOUND', 'The run has no such console or network file.');
    if (found.size > mostBytes) throw new PilothouseError('CONFLICT', 'It is too long to be shown here: download it.');
    const { pathname, search } = new URL(found.url);
    const own = pathname.startsWith('/v1/objects/');
    const url = own ? new URL(pathname + search, asked.context.get(renderContext).apiUrl) : found.url;
    const signal = AbortSignal.any([asked.request.signal, AbortSignal.timeout(answerMs)]);
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw new PilothouseError('UNAVAILABLE', `The file was answered with ${answer.status}.`);
    return parseDebugLog(kind, await answer.text());
  });
