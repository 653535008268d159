import { unwrapData, type Client } from '@pilothouse/client';
import { data } from 'react-router';
import type { Failure } from '../../api/api-client.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { readRun } from '../run.loader.server.ts';
import { compareHref } from '../../runs/run-row.ts';

/** Maximum number of runs in the selects. */
const MAX_LISTED_RUNS = 30;

/**
 * Reads the two runs of the query, and the other runs of the workflow for the selects.
 * @throws a redirect that compares with the previous run of the workflow if the query has no `left`
 */
export async function readComparison(client: Client, search: URLSearchParams) {
  const [left, right] = [search.get('left'), search.get('right')];
  if (!right)
    throw data(
      {
        code: 'VALIDATION_FAILED',
        message: 'Select two runs in the list of runs, then “Compare 2 runs”.',
      } satisfies Failure,
      {
        status: 400,
      },
    );
  const { run, state } = await readRun(client, right);
  const workflow = run.workflow?.name;
  const listRuns = (query: { createdBefore?: string; limit: number }) =>
    workflow === undefined
      ? []
      : unwrapData(client.api.GET('/v1/runs', { params: { query: { workflow, ...query } } })).then(
          ({ items }) => items,
        );
  if (!left) {
    const [previous] = await listRuns({ createdBefore: run.createdAt, limit: 1 });
    const previousId = previous?.id ?? (run.origin.kind === 'retry' ? run.origin.run : null);
    if (previousId) throw redirectTo(compareHref(previousId, right));
  }
  const [leftRun, items] = await Promise.all([
    left ? readRun(client, left) : null,
    listRuns({ limit: MAX_LISTED_RUNS }),
  ]);
  // The compared runs may belong to other workflows.
  const others = [leftRun?.run, run].flatMap((compared) =>
    compared !== undefined && !items.some(({ id }) => id === compared.id) ? [compared] : [],
  );
  const choices = [...others, ...items].map(({ id, status, createdAt, workflow }) => ({
    id,
    status,
    createdAt,
    version: workflow?.version ?? null,
  }));
  return { left: leftRun, right: { run, state }, choices };
}

export type Comparison = Awaited<ReturnType<typeof readComparison>>;
