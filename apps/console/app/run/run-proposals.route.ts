import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type ApiResult } from '../api/api-client.server.ts';
import { readProposals, type ProposalWithDiff } from '../proposals/proposal-diffs.server.ts';

/** Proposals that resulted from a run. */
export const loader = (args: LoaderFunctionArgs): Promise<ApiResult<ProposalWithDiff[]>> =>
  tryApi(args, (client) => readProposals(client, { run: args.params.run ?? '' }));
