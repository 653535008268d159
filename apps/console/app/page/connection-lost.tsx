import type { Connection } from '../shared/event-source.ts';

/** Shows whether the data of a page is up to date. */
export const ConnectionStatus = ({ connection }: { connection: Connection }) => (
  <span role="status" className="text-xs text-muted">
    {connection === 'live' && 'live'}
    {connection === 'lost' && <span className="text-warn">Connection lost. Reconnecting…</span>}
  </span>
);
