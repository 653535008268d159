import type { LoaderFunctionArgs } from 'react-router';
import { tryApi } from '../lib/api.server.ts';
import { readProposals } from '../lib/proposals.server.ts';

/** What a run led the house to propose. */
export const loader = (asked: LoaderFunctionArgs) =>
  tryApi(asked, (client) => readProposals(client, { run: asked.params.run ?? '' }));
