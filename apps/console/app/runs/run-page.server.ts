import { unwrapData, type Client } from '@pilothouse/client';
import { errorCodes } from '@pilothouse/contract/errors/error-codes';
import { filterOf, queryOf } from './run-filter.ts';
import { rowOf, type RunRows } from './run-row.ts';

const ROWS_PER_PAGE = 100;

/** Maximum number of runs in one batch request. */
const MAX_BATCH = 200;

/** Reads the runs that a URL selects by its filter and `cursor`. */
export async function readRows({ api }: Client, search: URLSearchParams, limit = ROWS_PER_PAGE): Promise<RunRows> {
  const cursor = search.get('cursor') ?? undefined;
  const { error, ...query } = { ...queryOf(filterOf(search), Date.now()), limit, cursor };
  const { items, nextCursor } = await unwrapData(
    api.GET('/v1/runs', { params: { query: { ...query, error: errorCodesOf(error) } } }),
  );
  return { rows: items.map(rowOf), next: nextCursor };
}

/** Known error codes only: the API rejects others. */
const errorCodesOf = (error: string | undefined) => {
  const codes = errorCodes.filter((code) => code === error);
  return codes.length > 0 ? codes : undefined;
};

/** Result of a bulk action. */
export interface BulkResult {
  intent: 'cancel' | 'retry';
  succeeded: number;
  failed: { run: string; message: string }[];
}

/** Cancels or retries runs. A failure of one run does not affect the others. */
export async function changeRuns(
  { api }: Client,
  runs: readonly string[],
  intent: 'cancel' | 'retry',
): Promise<BulkResult> {
  const total: BulkResult = { intent, succeeded: 0, failed: [] };
  for (let start = 0; start < runs.length; start += MAX_BATCH) {
    const body = { runs: runs.slice(start, start + MAX_BATCH) };
    const { failed } =
      intent === 'cancel'
        ? await unwrapData(api.POST('/v1/runs/batch/cancel', { body }))
        : await unwrapData(api.POST('/v1/runs/batch/retry', { body }));
    total.succeeded += body.runs.length - failed.length;
    total.failed.push(...failed.map(({ run, error }) => ({ run, message: error.message })));
  }
  return total;
}
