import { useEffect, useState } from 'react';
import { formatAgo, formatDue, formatExact } from './duration.ts';

/** Milliseconds between two looks at the clock. */
const tickMs = 10_000;

interface InstantProps {
  at: string;
}

/** How long ago something was; the exact instant in the viewer's zone stands over it. */
export const TimeAgo = ({ at }: InstantProps) => <Instant at={at} words={formatAgo} />;

/** When something is due or expires: the only instants that may be to come. */
export const DueTime = ({ at }: InstantProps) => <Instant at={at} words={formatDue} />;

function Instant({ at, words }: InstantProps & { words: typeof formatAgo }) {
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
      title={now === undefined ? at : formatExact(at)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {words(at, now ?? Date.now())}
    </time>
  );
}
