import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { findArtifact, readArtifactText } from '../api/artifact-text.server.ts';
import { debugLogKind, type DebugLog } from './tabs/debug-log.ts';
import { parseDebugLog, type TimeWindow } from './tabs/parse-debug-log.server.ts';

/** Maximum size of a log that is shown; larger logs can be downloaded. */
const MAX_BYTES = 48 * 1024 * 1024;

/** Console or network log of a run, or its entries between `from` and `to`. */
export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<DebugLog>> =>
  tryApi(args, async (client) => {
    const { run = '', file = '' } = args.params;
    const artifact = await findArtifact(client, run, file);
    const kind = artifact && debugLogKind(artifact);
    if (!artifact || !kind) throw new PilothouseError('NOT_FOUND', 'This run has no such console or network log.');
    if (artifact.size > MAX_BYTES) throw new PilothouseError('CONFLICT', 'The file is too large to show. Download it.');
    const text = await readArtifactText(args, artifact);
    return parseDebugLog(kind, text, timeWindowOf(new URL(args.request.url).searchParams));
  });

/** Time window in the query parameters; undefined: the whole log. */
function timeWindowOf(params: URLSearchParams): TimeWindow | undefined {
  const [start, end] = [params.get('from'), params.get('to')];
  if (start === null) return undefined;
  return { start: Date.parse(start), end: end === null ? Infinity : Date.parse(end) };
}
