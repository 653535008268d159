import { useEffect } from 'react';
import { useRevalidator } from 'react-router';

/** Asks for the data of the page again and again while it is seen. @param everyMs milliseconds between two times */
export function useRefresh(everyMs: number): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void revalidate();
    }, everyMs);
    return () => clearInterval(timer);
  }, [revalidate, everyMs]);
}
