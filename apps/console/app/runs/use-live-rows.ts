import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RunRow, RunRows } from './run-row.ts';

/** Milliseconds between two looks while the page is seen, and that one may take. */
const everyMs = 2_000;
const answerMs = 15_000;

export interface LiveRows {
  rows: RunRow[];
  /** The first page does not answer: what is shown is old. */
  stale: boolean;
  more: boolean;
  /** Loads the next page, once at a time. */
  loadMore: () => void;
  /** Says which rows are seen, by their places: they are kept true. */
  see: (from: number, to: number) => void;
}

const isOver = ({ finishedAt }: RunRow) => finishedAt !== null;

async function ask(search: string, cursor: string | undefined, signal: AbortSignal): Promise<RunRows> {
  const query = new URLSearchParams(search);
  if (cursor) query.set('cursor', cursor);
  const answer = await fetch(`/runs/rows?${query}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  });
  if (!answer.ok) throw new Error(`The rows were answered with ${answer.status}`);
  return (await answer.json()) as RunRows;
}

/**
 * The rows of a list that stay true while they are looked at: the first page is asked for again every two seconds, and so is a later one that is
 * seen, as long as a run in it is not over. @param first as the server rendered it @param search the filter, as in the URL
 */
export function useLiveRows(first: RunRows, search: string): LiveRows {
  // Page after page; of each the cursor it was asked with.
  const [pages, setPages] = useState<(RunRows & { cursor?: string })[]>([first]);
  const [stale, setStale] = useState(false);
  const current = useRef(pages);
  current.current = pages;
  const loading = useRef<AbortController>(undefined);
  const seenRows = useRef({ from: 0, to: 0 });

  useEffect(() => {
    setPages([first]);
    setStale(false);
    const gone = new AbortController();
    loading.current = undefined;
    const look = async () => {
      let from = 0;
      for (const [index, page] of current.current.entries()) {
        const unseen = from > seenRows.current.to || from + page.rows.length < seenRows.current.from;
        from += page.rows.length;
        if (index > 0 && (unseen || page.rows.every(isOver))) continue;
        const fresh = await ask(search, page.cursor, gone.signal);
        setPages((all) =>
          all.map((one) =>
            one.cursor === page.cursor
              ? { ...fresh, cursor: page.cursor, next: index > 0 || all.length > 1 ? one.next : fresh.next }
              : one,
          ),
        );
      }
    };
    const turn = async () => {
      if (document.visibilityState === 'visible') {
        await look().then(
          () => setStale(false),
          () => gone.signal.aborted || setStale(true),
        );
      }
      if (!gone.signal.aborted) timer = setTimeout(() => void turn(), everyMs);
    };
    let timer = setTimeout(() => void turn(), everyMs);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [first, search]);

  const loadMore = useCallback(() => {
    const cursor = current.current.at(-1)?.next;
    if (!cursor || loading.current) return;
    const gone = (loading.current = new AbortController());
    ask(search, cursor, gone.signal)
      .then((page) => setPages((all) => (all.at(-1)?.next === cursor ? [...all, { ...page, cursor }] : all)))
      .catch(() => setStale(true))
      .finally(() => (loading.current = loading.current === gone ? undefined : loading.current));
  }, [search]);

  const see = useCallback((from: number, to: number) => {
    seenRows.current = { from, to };
  }, []);

  // New runs push others from the first page into the second, where they stand already or are not shown for now.
  const rows = useMemo(() => {
    const seen = new Set<string>();
    return pages.flatMap((page) => page.rows).filter(({ id }) => !seen.has(id) && seen.add(id));
  }, [pages]);
  return { rows, stale, more: pages.at(-1)?.next != null, loadMore, see };
}
