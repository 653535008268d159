import { inTransaction, withStatementTimeout, type Pool } from '../pool.ts';
import { TERMINAL_STATUSES_SQL, type Cutoffs } from './due.ts';
import { findUnusedUploads } from './uploads.ts';

/** What a round removed, or would. */
export interface RetentionCounts {
  runs: number;
  /** Events, those of removed runs included. */
  events: number;
  /** Files that are stored, those of removed runs included. */
  artifacts: number;
  uploads: number;
  /** Of artifacts and uploads. */
  bytes: number;
}

/** Milliseconds that counting may take. */
const PATIENCE_MS = 100_000;

const due = (cutoff: string) =>
  `r.project_id = $1 AND r.status IN ${TERMINAL_STATUSES_SQL} AND r.finished_at < ${cutoff}`;

/** Counts what a round with these cutoffs would remove. Everything is seen at one instant, and nothing is changed. */
export function previewRetention(
  pool: Pool,
  project: string,
  { runs, events, artifacts }: Cutoffs,
): Promise<RetentionCounts> {
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
    const { rows } = await client.query<Omit<RetentionCounts, 'uploads'>>(
      withStatementTimeout(
        `SELECT (SELECT count(*) FROM run r WHERE ${due('$2')}) AS runs,
              (SELECT count(*) FROM run_event e JOIN run r ON r.id = e.run_id WHERE ${due('$3')}) AS events,
              f.artifacts, f.bytes
       FROM (
         SELECT count(*) AS artifacts, coalesce(sum(a.size), 0)::bigint AS bytes
         FROM artifact a JOIN run r ON r.id = a.run_id WHERE ${due('$4::timestamptz')} AND a.stored_at IS NOT NULL
       ) f`,
        [project, runs, events, artifacts],
        PATIENCE_MS,
      ),
    );
    const uploads = runs === null ? [] : await findUnusedUploads(client, project, runs, null, PATIENCE_MS);
    const counted = rows[0] ?? { runs: 0, events: 0, artifacts: 0, bytes: 0 };
    const bytes = uploads.reduce((sum, { size }) => sum + size, counted.bytes);
    return { ...counted, uploads: uploads.length, bytes };
  });
}

/** When the oldest run that a round leaves was created; null when it leaves none. */
export async function oldestRemainingRun(pool: Pool, project: string, runs: Date | null): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>(
    `SELECT min(created_at) AS at FROM run r
     WHERE project_id = $1 AND NOT (status IN ${TERMINAL_STATUSES_SQL} AND finished_at IS NOT NULL AND $2::timestamptz IS NOT NULL AND finished_at < $2)`,
    [project, runs],
  );
  return rows[0]?.at ?? null;
}
