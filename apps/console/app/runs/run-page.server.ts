import { unwrapData, type Client } from '@pilothouse/client';
import { errorCodes, type RunView } from '@pilothouse/contract';
import { filterOf, queryOf } from './run-filter.ts';
import { rowOf, type RunRows } from './run-row.ts';

/** Rows of one page of the list. */
const PAGE_ROWS = 100;

/** Most runs of one change. */
const MAX_BATCH = 200;

/** Rows as the URL asks for them: its filter, and `cursor` for a later page. */
export async function readRows({ api }: Client, search: URLSearchParams, limit = PAGE_ROWS): Promise<RunRows> {
  const cursor = search.get('cursor') ?? undefined;
  const { error, ...query } = { ...queryOf(filterOf(search), Date.now()), limit, cursor };
  const { items, nextCursor } = await unwrapData(
    api.GET('/v1/runs', { params: { query: { ...query, error: errorCodesOf(error) } } }),
  );
  return { rows: (items as RunView[]).map(rowOf), next: nextCursor };
}

/** A code that the API knows; another one of a URL is none. */
const errorCodesOf = (error: string | undefined) => {
  const codes = errorCodes.filter((code) => code === error);
  return codes.length > 0 ? codes : undefined;
};

/** What became of each run of a bulk change. */
export interface BulkResult {
  result: number;
  failed: { run: string; message: string }[];
}

/** Cancels runs, or runs them again. What the API refuses is told, and hinders no other. */
export async function changeRuns(
  { api }: Client,
  runs: readonly string[],
  intent: 'cancel' | 'retry',
): Promise<BulkResult> {
  const total: BulkResult = { result: 0, failed: [] };
  for (let from = 0; from < runs.length; from += MAX_BATCH) {
    const body = { runs: runs.slice(from, from + MAX_BATCH) };
    const { failed } =
      intent === 'cancel'
        ? await unwrapData(api.POST('/v1/runs/batch/cancel', { body }))
        : await unwrapData(api.POST('/v1/runs/batch/retry', { body }));
    total.result += body.runs.length - failed.length;
    total.failed.push(...failed.map(({ run, error }) => ({ run, message: error.message })));
  }
  return total;
}
