import type { Pool } from '../pool.ts';

/** What is known of a request by its key. */
export type Claim =
  | { state: 'new' }
  /** The first request is still at work. */
  | { state: 'in-flight' }
  /** The key was used for another request. */
  | { state: 'mismatch' }
  | { state: 'done'; run: string };

/** A key is remembered for so long. */
const KEPT = '24 hours';

/** A request that has not come to an end within this time never will: its process is gone. */
const ABANDONED = '2 minutes';

const CLAIM = `
INSERT INTO idempotency_key (project_id, key, request_hash) VALUES ($1, $2, $3)
ON CONFLICT (project_id, key) DO UPDATE SET request_hash = excluded.request_hash, run_id = NULL, created_at = now()
WHERE idempotency_key.created_at < now() - interval '${KEPT}'
   OR (idempotency_key.run_id IS NULL AND idempotency_key.created_at < now() - interval '${ABANDONED}')
RETURNING key
`;

/** Remembers what requests with an Idempotency-Key came to. The run and the key's end are one commit: see RunIntake. */
export class IdempotencyStore {
  constructor(private readonly pool: Pool) {}

  /** Takes the key for this request, or says what it stands for already. @param requestHash SHA-256, hex */
  async claim(project: string, key: string, requestHash: string): Promise<Claim> {
    // The row may go (released) between the two statements: then the second look finds it free.
    for (let round = 0; round < 3; round += 1) {
      const taken = await this.pool.query({ name: 'claim-key', text: CLAIM, values: [project, key, requestHash] });
      if (taken.rowCount === 1) return { state: 'new' };
      const { rows } = await this.pool.query<{ requestHash: string; run: string | null }>({
        name: 'read-claim',
        text: `SELECT request_hash AS "requestHash", run_id AS run FROM idempotency_key WHERE project_id = $1 AND key = $2`,
        values: [project, key],
      });
      const row = rows[0];
      if (!row) continue;
      if (row.requestHash !== requestHash) return { state: 'mismatch' };
      return row.run === null ? { state: 'in-flight' } : { state: 'done', run: row.run };
    }
    return { state: 'in-flight' };
  }

  /** The request came to nothing: the key is free again. */
  async release(project: string, key: string, requestHash: string): Promise<void> {
    await this.pool.query({
      name: 'release-key',
      text: 'DELETE FROM idempotency_key WHERE project_id = $1 AND key = $2 AND request_hash = $3 AND run_id IS NULL',
      values: [project, key, requestHash],
    });
  }

  /** Forgets keys that are no longer remembered. @returns how many */
  async purge(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotency_key WHERE created_at < now() - interval '${KEPT}'`,
    );
    return rowCount ?? 0;
  }
}
