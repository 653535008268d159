import { inTransaction, withStatementTimeout, type Pool, type PoolClient } from '../pool.ts';
import { TERMINAL_STATUSES_SQL } from './due.ts';

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
