import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { readProposals, type ProposalWithDiff } from '../proposals/proposal-diffs.server.ts';

/** What a run led the house to propose. */
export const loader = (asked: LoaderFunctionArgs): Promise<ApiResult<ProposalWithDiff[]>> =>
  tryApi(asked, (client) => readProposals(client, { run: asked.params.run ?? '' }));
