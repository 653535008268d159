import { useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Connection } from '../run/event-source.ts';

/** Milliseconds in which the API has to say that it is there. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** Whether the API answers, whatever it says: what a page asks in vain takes the place of what it showed. */
const isReachable = (signal: AbortSignal): Promise<boolean> =>
  fetch('/api/v1/me', { signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]) }).then(
    ({ status }) => status < 500,
    () => false,
  );

/**
 * Asks for the data of the page again and again while it is seen, and leaves it as it is while nobody answers.
 * @param everyMs milliseconds between two times
 */
export function useAutoRefresh(intervalMs: number): Connection {
  const { revalidate } = useRevalidator();
  const [connection, setConnection] = useState<Connection>('live');
  useEffect(() => {
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
