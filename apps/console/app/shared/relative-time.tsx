import { useEffect, useState } from 'react';
import { formatAgo, formatRemaining, formatExact } from './duration.ts';

const TICK_MS = 10_000;

interface InstantProps {
  at: string;
}

/** Time since an instant. The tooltip shows the exact time. */
export const TimeAgo = ({ at }: InstantProps) => <Instant at={at} format={formatAgo} />;

/** Time until an expiry or due date. Only these may be in the future. */
export const RemainingTime = ({ at }: InstantProps) => <Instant at={at} format={formatRemaining} />;

function Instant({ at, format }: InstantProps & { format: typeof formatAgo }) {
  // The first render must equal that of the server, which does not know the time zone of the viewer.
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
