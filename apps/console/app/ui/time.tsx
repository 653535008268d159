import { useEffect, useState } from 'react';
import { ago, exactly } from '../lib/time.ts';

/** Milliseconds between two looks at the clock. */
const tickMs = 10_000;

/** How long ago something was; the exact instant in the viewer's zone stands over it. */
export function Ago({ at }: { at: string }) {
  // The server does not know the viewer's zone, and renders at another moment: the first render here shows what it showed.
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <time
      dateTime={at}
      title={now === undefined ? at : exactly(at)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {ago(at, now ?? Date.now())}
    </time>
  );
}
