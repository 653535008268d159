import { terminalStatuses } from '@pilothouse/contract/run/run-status';
import { type Pool, type PoolClient, inTransaction, withStatementTimeout } from '../client/pg-pool.ts';

/** Cutoffs: data of runs that ended earlier is removed; null: it is never removed. */
export interface Cutoffs {
  runs: Date | null;
  /** Never later than the cutoff of runs, because data is removed with its run. */
  events: Date | null;
  artifacts: Date | null;
}

/** Statuses in which a run may be removed, as SQL. */
export const TERMINAL_STATUSES_SQL = `(${terminalStatuses.map((status) => `'${status}'`).join(', ')})`;

/** Days after the end of a run for which unscored records of its turns are kept. Scoring may be off. */
const MAX_UNSCORED_DAYS = 30;

/** Condition on run `r`: records of its turns are kept, because it is pinned or not scored yet. */
export const KEEPS_TURNS_SQL = `(r.turns_recorded AND (
  EXISTS (SELECT FROM trace t WHERE t.run_id = r.id AND t.is_pinned)
  OR (r.finished_at > now() - interval '${MAX_UNSCORED_DAYS} days' AND NOT EXISTS (SELECT FROM trace t WHERE t.run_id = r.id AND t.scored_at IS NOT NULL))
))`;

/** Cutoffs of a project, by the clock of the database. */
export async function readCutoffs(pool: Pool, project: string): Promise<Cutoffs> {
  const ago = (column: string) => `now() - ${column} * interval '1 day'`;
  const { rows } = await pool.query<Cutoffs>(
    `SELECT ${ago('retention_runs_days')} AS runs, greatest(${ago('retention_events_days')}, ${ago('retention_runs_days')}) AS events,
            greatest(${ago('retention_artifacts_days')}, ${ago('retention_runs_days')}) AS artifacts
     FROM project WHERE id = $1`,
    [project],
  );
  return rows[0] ?? { runs: null, events: null, artifacts: null };
}

/** A run that ended before a cutoff. */
export interface RunPastRetention {
  id: string;
  /** Number of its last event: the number of events it has, or had. */
  events: number;
}

interface Row extends RunPastRetention {
  createdAt: Date;
}

/** The smallest uuid. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Yields runs of a project that ended before a cutoff in batches, each run once, while earlier ones may be removed.
 * Active runs are never included.
 */
export async function* findRunsPastRetention(
  pool: Pool,
  project: string,
  cutoff: Date,
  size: number,
): AsyncGenerator<RunPastRetention[]> {
  // One status at a time, in the order of its index. The planner needs the literal status to select the index.
  for (const status of terminalStatuses) {
    let position = { createdAt: new Date(0), id: FIRST };
    for (;;) {
      const { rows } = await pool.query<Row>({
        name: `due-runs-${status}`,
        text: `SELECT id, event_seq AS events, created_at AS "createdAt" FROM run
               WHERE project_id = $1 AND status = '${status}' AND created_at < $2 AND finished_at < $2 AND (created_at, id) > ($3, $4)
               ORDER BY created_at, id LIMIT $5`,
        values: [project, cutoff, position.createdAt, position.id, size],
      });
      if (rows.length > 0) yield rows.map(({ id, events }) => ({ id, events }));
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      position = last;
    }
  }
}

/** A stored file and its size. */
export interface StoredObject {
  id: string;
  key: string;
  /** Bytes. */
  size: number;
}

/*
 * Any reference to the id of an upload in a remaining run counts, even in an input that is no file. An unused upload is better than a missing one.
 * A workflow may refer to an upload as a default for future runs.
 */
const UNREFERENCED_UPLOADS = `
WITH referenced AS (
  SELECT lower(i.value) AS id FROM run r CROSS JOIN LATERAL json_each_text(r.inputs) i
  WHERE r.project_id = $1 AND length(i.value) = 36 AND NOT (r.status IN ${TERMINAL_STATUSES_SQL} AND r.finished_at < $2)
  UNION
  SELECT lower(d.value->>'default') FROM workflow w
  JOIN workflow_version v ON v.workflow_id = w.id CROSS JOIN LATERAL json_each(v.definition->'inputs') d
  WHERE w.project_id = $1 AND d.value->>'type' = 'file' AND d.value->>'default' IS NOT NULL
)
SELECT u.id, u.key, u.size FROM upload u
WHERE u.project_id = $1 AND u.created_at < $2 AND NOT EXISTS (SELECT 1 FROM referenced n WHERE n.id = u.id::text)
ORDER BY u.created_at, u.id LIMIT $3
`;

/**
 * Uploads announced before a cutoff that no remaining run refers to, oldest first.
 * @param limit null: all
 * @param lockTimeoutMs statement timeout in milliseconds, if the transaction has a longer one
 */
export async function findUnusedUploads(
  db: Pick<Pool | PoolClient, 'query'>,
  project: string,
  cutoff: Date,
  limit: number | null,
  lockTimeoutMs?: number,
): Promise<StoredObject[]> {
  const values = [project, cutoff, limit];
  const { rows } = await (db as Pool).query<StoredObject>(
    lockTimeoutMs === undefined
      ? { text: UNREFERENCED_UPLOADS, values }
      : withStatementTimeout(UNREFERENCED_UPLOADS, values, lockTimeoutMs),
  );
  return rows;
}

const FORGET = `
WITH old AS (SELECT id FROM upload WHERE id = ANY ($1::uuid[]) AND created_at < $2 ORDER BY id FOR UPDATE)
DELETE FROM upload u USING old WHERE u.id = old.id RETURNING u.id, u.key, u.size
`;

/**
 * Removes unused uploads, oldest first. The rows stay locked while `remove` removes the objects, and are deleted afterwards.
 * A concurrent submit with one of them waits (see UploadStore.use), and fails because the upload was deleted.
 * @returns the removed uploads
 */
export function deleteUploads(
  pool: Pool,
  project: string,
  cutoff: Date,
  limit: number,
  remove: (uploads: readonly StoredObject[]) => Promise<void>,
): Promise<StoredObject[]> {
  return inTransaction(pool, async (client) => {
    const stray = await findUnusedUploads(client, project, cutoff, limit);
    const { rows } = await client.query<StoredObject>(FORGET, [stray.map(({ id }) => id), cutoff]);
    if (rows.length > 0) await remove(rows);
    return rows;
  });
}

/** Data that a cleanup removed, or would remove. */
export interface RetentionCounts {
  runs: number;
  /** Events, including those of removed runs. */
  events: number;
  /** Stored files, including those of removed runs. */
  artifacts: number;
  uploads: number;
  /** Of artifacts and uploads. */
  bytes: number;
}

/** Statement timeout of the count, in milliseconds. */
const PREVIEW_TIMEOUT_MS = 100_000;

const expiredRunsSql = (cutoff: string) =>
  `r.project_id = $1 AND r.status IN ${TERMINAL_STATUSES_SQL} AND r.finished_at < ${cutoff}`;

/** Counts the data that a cleanup with these cutoffs would remove, in one snapshot, without changes. */
export function previewRetention(
  pool: Pool,
  project: string,
  { runs, events, artifacts }: Cutoffs,
): Promise<RetentionCounts> {
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = ${PREVIEW_TIMEOUT_MS}`);
    const { rows } = await client.query<Omit<RetentionCounts, 'uploads'>>(
      withStatementTimeout(
        `SELECT (SELECT count(*) FROM run r WHERE ${expiredRunsSql('$2')} AND NOT ${KEEPS_TURNS_SQL}) AS runs,
              (SELECT count(*) FROM run_event e JOIN run r ON r.id = e.run_id WHERE ${expiredRunsSql('$3')}) AS events,
              f.artifacts, f.bytes
       FROM (
         SELECT count(*) AS artifacts, coalesce(sum(a.size), 0)::bigint AS bytes
         FROM artifact a JOIN run r ON r.id = a.run_id WHERE ${expiredRunsSql('$4::timestamptz')} AND a.stored_at IS NOT NULL AND NOT (a.kind = 'turn' AND ${KEEPS_TURNS_SQL})
       ) f`,
        [project, runs, events, artifacts],
        PREVIEW_TIMEOUT_MS,
      ),
    );
    const uploads = runs === null ? [] : await findUnusedUploads(client, project, runs, null, PREVIEW_TIMEOUT_MS);
    const counts = rows[0] ?? { runs: 0, events: 0, artifacts: 0, bytes: 0 };
    const bytes = uploads.reduce((sum, { size }) => sum + size, counts.bytes);
    return { ...counts, uploads: uploads.length, bytes };
  });
}

/** Creation time of the oldest run that remains after a cleanup; null when none remains. */
export async function oldestRemainingRun(pool: Pool, project: string, runs: Date | null): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>(
    `SELECT min(created_at) AS at FROM run r
     WHERE project_id = $1 AND NOT (status IN ${TERMINAL_STATUSES_SQL} AND finished_at IS NOT NULL AND $2::timestamptz IS NOT NULL AND finished_at < $2
       AND NOT ${KEEPS_TURNS_SQL})`,
    [project, runs],
  );
  return rows[0]?.at ?? null;
}
