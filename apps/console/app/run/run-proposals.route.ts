import type { LoaderFunctionArgs } from 'react-router';
import { tryApi, type Tried } from '../api/api-client.server.ts';
import { readProposals, type ShownProposal } from '../proposals/proposal-diffs.server.ts';

/** What a run led the house to propose. */
export const loader = (asked: LoaderFunctionArgs): Promise<Tried<ShownProposal[]>> =>
  tryApi(asked, (client) => readProposals(client, { run: asked.params.run ?? '' }));
