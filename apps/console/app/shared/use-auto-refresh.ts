import { useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Connection } from './event-source.ts';

const RESPONSE_TIMEOUT_MS = 5_000;

/** True if the API answers, with any status. Without this check, a failed request would replace the page by an error. */
const isReachable = (signal: AbortSignal): Promise<boolean> =>
  fetch('/api/v1/me', { signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]) }).then(
    ({ status }) => status < 500,
    () => false,
  );

/**
 * Reloads the data of a visible page periodically. While the API is unavailable, the data stays as it is.
 * @param intervalMs milliseconds between two requests; null: no requests
 */
export function useAutoRefresh(intervalMs: number | null): Connection {
  const { revalidate } = useRevalidator();
  const [connection, setConnection] = useState<Connection>('live');
  useEffect(() => {
    if (intervalMs === null) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const refresh = async () => {
      if (document.visibilityState === 'visible') {
        const isApiUp = await isReachable(controller.signal);
        if (controller.signal.aborted) return;
        setConnection(isApiUp ? 'live' : 'lost');
        if (isApiUp) await revalidate();
      }
      if (!controller.signal.aborted) timer = setTimeout(() => void refresh(), intervalMs);
    };
    timer = setTimeout(() => void refresh(), intervalMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [revalidate, intervalMs]);
  return connection;
}
