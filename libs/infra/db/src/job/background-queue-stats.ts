import type { JobKind } from '@pilothouse/contract/job/job.schema';
import { inTransaction, type Pool } from '../client/pg-pool.ts';

/** Jobs of a kind that have not ended, over all projects. */
export interface BackgroundQueueStats {
  readonly kind: JobKind;
  /** Jobs that wait for a job runner, with those whose job runner was lost. */
  readonly queued: number;
  /** Jobs that a job runner holds. */
  readonly running: number;
  /** Seconds since the oldest queued job was due, or its lease expired; 0: no job is due. */
  readonly oldestSeconds: number;
}

const STATS = `
SELECT kind, count(*) FILTER (WHERE NOT held)::int AS queued, count(*) FILTER (WHERE held)::int AS running,
  greatest(0, coalesce(extract(epoch FROM now() - min(since) FILTER (WHERE NOT held)), 0))::float8 AS "oldestSeconds"
FROM (
  SELECT kind, status = 'running' AND lease_expires_at >= now() AS held, CASE WHEN status = 'running' THEN lease_expires_at ELSE run_at END AS since
  FROM job WHERE status IN ('queued', 'running')
) j GROUP BY kind`;

/** Counts the background jobs that have not ended. @param timeoutMs statement timeout in milliseconds */
export const readBackgroundQueueStats = (pool: Pool, timeoutMs: number): Promise<BackgroundQueueStats[]> =>
  inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
    return (await client.query<BackgroundQueueStats>(STATS)).rows;
  });
