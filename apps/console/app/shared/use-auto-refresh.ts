import { useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Connection } from '../run/event-source.ts';

/** Milliseconds in which the API has to say that it is there. */
const answerMs = 5_000;

/** Whether the API answers, whatever it says: what a page asks in vain takes the place of what it showed. */
const answers = (signal: AbortSignal): Promise<boolean> =>
  fetch('/api/v1/me', { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) }).then(
    ({ status }) => status < 500,
    () => false,
  );

/**
 * Asks for the data of the page again and again while it is seen, and leaves it as it is while nobody answers.
 * @param everyMs milliseconds between two times
 */
export function useAutoRefresh(everyMs: number): Connection {
  const { revalidate } = useRevalidator();
  const [connection, setConnection] = useState<Connection>('live');
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      if (document.visibilityState === 'visible') {
        const isThere = await answers(gone.signal);
        if (gone.signal.aborted) return;
        setConnection(isThere ? 'live' : 'lost');
        if (isThere) await revalidate();
      }
      if (!gone.signal.aborted) timer = setTimeout(() => void look(), everyMs);
    };
    timer = setTimeout(() => void look(), everyMs);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [revalidate, everyMs]);
  return connection;
}
