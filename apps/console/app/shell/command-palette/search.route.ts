import { unwrapData } from '@pilothouse/client';
import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../../api/api-client.server.ts';
import { runTitle } from '../../runs/run-row.ts';
import { runStatusLabels } from '../../shared/status-badge.tsx';
import { searchTextOf, searchWorkflows } from '../search-workflows.server.ts';
import type { SearchResult } from './commands.ts';

/** Maximum number of workflows and runs. */
const MAX_RESULTS = 6;

/** Finds workflows by name and title, and runs by name, goal, error and id prefix. Without a text: the latest runs. */
export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<SearchResult>> =>
  tryApi(args, async (client) => {
    const text = searchTextOf(args.request);
    const query = { limit: MAX_RESULTS, ...(text !== '' && { text }) };
    const [workflows, runs] = await Promise.all([
      searchWorkflows(client, text, MAX_RESULTS),
      unwrapData(client.api.GET('/v1/runs', { params: { query } })),
    ]);
    return {
      text,
      workflows,
      runs: runs.items.map((run) => ({
        id: run.id,
        name: runTitle(run),
        status: runStatusLabels[run.status].label,
      })),
    };
  });
