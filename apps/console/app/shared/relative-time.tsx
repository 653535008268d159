import { useEffect, useState } from 'react';
import { formatAgo, formatDue, formatExact } from './duration.ts';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 10_000;

interface InstantProps {
  at: string;
}

/** How long ago something was; the exact instant in the viewer's zone stands over it. */
export const TimeAgo = ({ at }: InstantProps) => <Instant at={at} format={formatAgo} />;

/** When something is due or expires: the only instants that may be to come. */
export const DueTime = ({ at }: InstantProps) => <Instant at={at} format={formatDue} />;

function Instant({ at, format }: InstantProps & { format: typeof formatAgo }) {
  // The server does not know the viewer's zone, and renders at another moment: the first render here shows what it showed.
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time
      dateTime={at}
      title={now === undefined ? at : formatExact(at)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {format(at, now ?? Date.now())}
    </time>
  );
}
