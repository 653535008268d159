import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../api/api-client.server.ts';

/** Milliseconds without a key press before the search request. */
const DEBOUNCE_MS = 150;

/**
 * Result of a search on the server. The last result stays until the next one arrives.
 * @param path of the loader, which reads the query parameter `text`
 * @param text null: no search
 */
export function useSearch<Result>(path: string, text: string | null): ApiResult<Result> | undefined {
  const { load, data } = useFetcher<ApiResult<Result>>();
  useEffect(() => {
    if (text === null) return;
    const search = new URLSearchParams({ text });
    const timer = setTimeout(() => void load(`${path}?${search}`), text === '' ? 0 : DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [path, text, load]);
  return data;
}
