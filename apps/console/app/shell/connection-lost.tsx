import type { Connection } from '../run/event-source.ts';

/** Whether what a page shows is of now. */
export const ConnectionStatus = ({ connection }: { connection: Connection }) => (
  <span role="status" className="text-xs text-muted">
    {connection === 'live' && 'live'}
    {connection === 'lost' && <span className="text-warn">The connection is gone; trying again</span>}
  </span>
);
