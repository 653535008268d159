import { terminalStatuses } from '@pilothouse/contract';
import { type Pool, type PoolClient, inTransaction, withStatementTimeout } from '../client/pg-pool.ts';

/** What ended before these instants is no longer kept; null: it is kept for ever. */
export interface Cutoffs {
  runs: Date | null;
  /** Never later than the one of runs: what a run has goes with it. */
  events: Date | null;
  artifacts: Date | null;
}

/** Statuses in which a run may be removed, as SQL. */
export const TERMINAL_STATUSES_SQL = `(${terminalStatuses.map((status) => `'${status}'`).join(', ')})`;

/** Until when a project keeps what, by the clock of the database. */
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
  /** Number of its last event: how many it has, or had. */
  events: number;
}

interface Row extends RunPastRetention {
  createdAt: Date;
}

/** The least that uuids sort by. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Runs of a project that ended before an instant, in batches, each run once, while what was looked at may be removed behind it.
 * A run that has not ended is never among them.
 */
export async function* findRunsPastRetention(
  pool: Pool,
  project: string,
  before: Date,
  size: number,
): AsyncGenerator<RunPastRetention[]> {
  // One status after the other, each in the order of the index that has its runs: which that is has to be seen from the text.
  for (const status of terminalStatuses) {
    let after = { createdAt: new Date(0), id: FIRST };
    for (;;) {
      const { rows } = await pool.query<Row>({
        name: `due-runs-${status}`,
        text: `SELECT id, event_seq AS events, created_at AS "createdAt" FROM run
               WHERE project_id = $1 AND status = '${status}' AND created_at < $2 AND finished_at < $2 AND (created_at, id) > ($3, $4)
               ORDER BY created_at, id LIMIT $5`,
        values: [project, before, after.createdAt, after.id, size],
      });
      if (rows.length > 0) yield rows.map(({ id, events }) => ({ id, events }));
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      after = last;
    }
  }
}

/** A stored file and how large it is. */
export interface StoredObject {
  id: string;
  key: string;
  /** Bytes. */
  size: number;
}

/*
 * Whatever a run that stays names by its id counts, also in an input that is no file: rather one upload too many than one that is missed.
 * A workflow may name an upload as a default, for runs that are still to come.
 */
const STRAY = `
WITH named AS (
  SELECT lower(i.value) AS id FROM run r CROSS JOIN LATERAL json_each_text(r.inputs) i
  WHERE r.project_id = $1 AND length(i.value) = 36 AND NOT (r.status IN ${TERMINAL_STATUSES_SQL} AND r.finished_at < $2)
  UNION
  SELECT lower(d.value->>'default') FROM workflow w
  JOIN workflow_version v ON v.workflow_id = w.id CROSS JOIN LATERAL json_each(v.definition->'inputs') d
  WHERE w.project_id = $1 AND d.value->>'type' = 'file' AND d.value->>'default' IS NOT NULL
)
SELECT u.id, u.key, u.size FROM upload u
WHERE u.project_id = $1 AND u.created_at < $2 AND NOT EXISTS (SELECT 1 FROM named n WHERE n.id = u.id::text)
ORDER BY u.created_at, u.id LIMIT $3
`;

/**
 * Uploads announced before an instant that no run names which stays, the oldest first.
 * @param limit null: all
 * @param patienceMs milliseconds, where the transaction was given more of them than others
 */
export async function findUnusedUploads(
  db: Pick<Pool | PoolClient, 'query'>,
  project: string,
  before: Date,
  limit: number | null,
  patienceMs?: number,
): Promise<StoredObject[]> {
  const values = [project, before, limit];
  const { rows } = await (db as Pool).query<StoredObject>(
    patienceMs === undefined ? { text: STRAY, values } : withStatementTimeout(STRAY, values, patienceMs),
  );
  return rows;
}

const FORGET = `
WITH old AS (SELECT id FROM upload WHERE id = ANY ($1::uuid[]) AND created_at < $2 ORDER BY id FOR UPDATE)
DELETE FROM upload u USING old WHERE u.id = old.id RETURNING u.id, u.key, u.size
`;

/**
 * Removes stray uploads, the oldest first: the rows are held while `remove` takes the objects, and go once it is done. Whoever submits a
 * run with one of them meanwhile waits (see UploadStore.use), and is told that there is no such upload any more.
 * @returns what was removed
 */
export function deleteUploads(
  pool: Pool,
  project: string,
  before: Date,
  limit: number,
  remove: (uploads: readonly StoredObject[]) => Promise<void>,
): Promise<StoredObject[]> {
  return inTransaction(pool, async (client) => {
    const stray = await findUnusedUploads(client, project, before, limit);
    const { rows } = await client.query<StoredObject>(FORGET, [stray.map(({ id }) => id), before]);
    if (rows.length > 0) await remove(rows);
    return rows;
  });
}

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
