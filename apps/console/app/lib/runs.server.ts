import { dataOf, type Client } from '@pilothouse/client';
import { errorCodes, PilothouseError, type RunView } from '@pilothouse/contract';
import { filterOf, queryOf } from './run-filter.ts';
import { rowOf, type RunRows } from './run-rows.ts';

/** Rows of one page of the list. */
const pageRows = 100;

/** Requests that one change of many runs has under way. */
const atOnce = 8;

/** Rows as the URL asks for them: its filter, and `cursor` for a later page. */
export async function readRows({ api }: Client, search: URLSearchParams): Promise<RunRows> {
  const cursor = search.get('cursor') ?? undefined;
  const { error, ...query } = { ...queryOf(filterOf(search), Date.now()), limit: pageRows, cursor };
  const { items, nextCursor } = await dataOf(
    api.GET('/v1/runs', { params: { query: { ...query, error: knownError(error) } } }),
  );
  return { rows: (items as RunView[]).map(rowOf), next: nextCursor };
}

/** A code that the API knows; another one of a URL is none. */
const knownError = (error: string | undefined) => {
  const known = errorCodes.filter((code) => code === error);
  return known.length > 0 ? known : undefined;
};

/** What became of each run of a bulk change. */
export interface Changed {
  done: number;
  refused: { run: string; message: string }[];
}

/** Does the same with many runs, some at a time. What the API refuses is told, and hinders no other. */
export async function changeRuns(runs: readonly string[], change: (run: string) => Promise<unknown>): Promise<Changed> {
  const left = [...new Set(runs)];
  const changed: Changed = { done: 0, refused: [] };
  const work = async () => {
    for (let run = left.pop(); run !== undefined; run = left.pop()) {
      try {
        await change(run);
        changed.done += 1;
      } catch (error) {
        if (!(error instanceof PilothouseError) || error.code === 'UNAUTHENTICATED') throw error;
        changed.refused.push({ run, message: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return changed;
}
