import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RunRow, RunRows } from './run-row.ts';

const REFRESH_INTERVAL_MS = 2_000;
const RESPONSE_TIMEOUT_MS = 15_000;

export interface LiveRows {
  rows: RunRow[];
  /** True if the first page could not be refreshed. */
  isStale: boolean;
  hasMore: boolean;
  /** Loads the next page, one at a time. */
  loadMore: () => void;
  /** Reports the range of visible rows, which are refreshed. */
  setVisibleRows: (first: number, last: number) => void;
}

const isOver = ({ finishedAt }: RunRow) => finishedAt !== null;

async function fetchRows(search: string, cursor: string | undefined, signal: AbortSignal): Promise<RunRows> {
  const query = new URLSearchParams(search);
  if (cursor) query.set('cursor', cursor);
  const answer = await fetch(`/runs/rows?${query}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
  });
  if (!answer.ok) throw new Error(`Loading runs failed (HTTP ${answer.status})`);
  return (await answer.json()) as RunRows;
}

/**
 * Rows of a list that are refreshed every two seconds: the first page, and visible later pages with unfinished runs.
 * @param first rows that the server rendered
 * @param search filter as in the URL
 */
export function useLiveRows(first: RunRows, search: string): LiveRows {
  // Pages with the cursor of each.
  const [pages, setPages] = useState<(RunRows & { cursor?: string })[]>([first]);
  const [isStale, setIsStale] = useState(false);
  const current = useRef(pages);
  current.current = pages;
  const loading = useRef<AbortController>(undefined);
  const visibleRows = useRef({ first: 0, last: 0 });

  useEffect(() => {
    setPages([first]);
    setIsStale(false);
    const controller = new AbortController();
    loading.current = undefined;
    const refresh = async () => {
      let firstRow = 0;
      for (const [index, page] of current.current.entries()) {
        const isHidden = firstRow > visibleRows.current.last || firstRow + page.rows.length < visibleRows.current.first;
        firstRow += page.rows.length;
        if (index > 0 && (isHidden || page.rows.every(isOver))) continue;
        const newPage = await fetchRows(search, page.cursor, controller.signal);
        setPages((pages) =>
          pages.map((shown) =>
            shown.cursor === page.cursor
              ? { ...newPage, cursor: page.cursor, next: index > 0 || pages.length > 1 ? shown.next : newPage.next }
              : shown,
          ),
        );
      }
    };
    const poll = async () => {
      if (document.visibilityState === 'visible') {
        await refresh().then(
          () => setIsStale(false),
          () => controller.signal.aborted || setIsStale(true),
        );
      }
      if (!controller.signal.aborted) timer = setTimeout(() => void poll(), REFRESH_INTERVAL_MS);
    };
    let timer = setTimeout(() => void poll(), REFRESH_INTERVAL_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [first, search]);

  const loadMore = useCallback(() => {
    const cursor = current.current.at(-1)?.next;
    if (!cursor || loading.current) return;
    const controller = (loading.current = new AbortController());
    fetchRows(search, cursor, controller.signal)
      .then((page) => setPages((pages) => (pages.at(-1)?.next === cursor ? [...pages, { ...page, cursor }] : pages)))
      .catch(() => setIsStale(true))
      .finally(() => (loading.current = loading.current === controller ? undefined : loading.current));
  }, [search]);

  const setVisibleRows = useCallback((first: number, last: number) => {
    visibleRows.current = { first, last };
  }, []);

  // New runs move others to the second page: duplicates are removed.
  const rows = useMemo(() => {
    const ids = new Set<string>();
    return pages.flatMap((page) => page.rows).filter(({ id }) => !ids.has(id) && ids.add(id));
  }, [pages]);
  return { rows, isStale, hasMore: pages.at(-1)?.next != null, loadMore, setVisibleRows };
}
