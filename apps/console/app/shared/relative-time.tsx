import { useEffect, useState } from 'react';
import { formatAgo, formatRemaining, formatExact } from './duration.ts';

const TICK_MS = 10_000;

interface InstantProps {
  time: string;
}

/** Time since an instant. The tooltip shows the exact time. */
export const TimeAgo = ({ time }: InstantProps) => <Instant time={time} format={formatAgo} />;

/** Time until an expiry or due date. Only these may be in the future. */
export const RemainingTime = ({ time }: InstantProps) => <Instant time={time} format={formatRemaining} />;

function Instant({ time, format }: InstantProps & { format: typeof formatAgo }) {
  // The first render must equal that of the server, which does not know the time zone of the viewer.
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time
      dateTime={time}
      title={now === undefined ? time : formatExact(time)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {format(time, now ?? Date.now())}
    </time>
  );
}
