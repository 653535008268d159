import { tryLead } from '../client/leadership.ts';
import type { Pool } from '../client/pg-pool.ts';

/** The lock of a cleanup, on a dedicated connection. It ends with the connection. */
export interface RetentionLock {
  /** Returns whether no hourly cleanup started within `everyMs`; if so, records that one starts now. */
  isDue(everyMs: number): Promise<boolean>;
  release(): Promise<void>;
}

/** Returns null while another cleanup runs. */
export async function tryRetentionLock(pool: Pool): Promise<RetentionLock | null> {
  const session = await tryLead(pool, 'retention');
  if (!session) return null;
  return {
    async isDue(everyMs) {
      const { rowCount } = await session.client.query(
        `INSERT INTO heartbeat (name, seen_at) VALUES ('retention', clock_timestamp())
         ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
         WHERE heartbeat.seen_at <= clock_timestamp() - $1 * interval '1 millisecond'`,
        [everyMs],
      );
      return rowCount === 1;
    },
    release: session.release,
  };
}
