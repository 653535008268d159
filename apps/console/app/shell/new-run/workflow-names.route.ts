import type { LoaderFunctionArgs } from 'react-router';
import { tryApi } from '../../api/api-client.server.ts';
import { searchTextOf, searchWorkflows } from '../search-workflows.server.ts';

/** Maximum number of names. A longer text finds the others. */
const MAX_NAMES = 50;

/** Names of the workflows that match a text, for the dialog of a new run. */
export const loader = (args: LoaderFunctionArgs) =>
  tryApi(args, async (client) =>
    (await searchWorkflows(client, searchTextOf(args.request), MAX_NAMES)).map(({ name }) => name),
  );
