import type { Pool } from '../client/pg-pool.ts';

/** An Idempotency-Key held by one request. */
export interface IdempotencyClaim {
  key: string;
  /** Unique token of the request that holds the key. */
  token: string;
  /** Time at which the key was taken. */
  takenAt: Date;
}

export type KeyState =
  /** The first request is still active. */
  | { state: 'in-flight' }
  /** The key was used for another request. */
  | { state: 'mismatch' }
  | { state: 'done'; run: string };

/** Result of an attempt to take a key. */
export type ClaimResult = { state: 'new'; claim: IdempotencyClaim } | KeyState;

/** Milliseconds for which a key is stored. */
const RETENTION = '24 hours';

/** Milliseconds after which an active request is considered lost with its process. If it continues, its token is outdated. */
const ABANDONED = '2 minutes';

const CLAIM = `
INSERT INTO idempotency_key (project_id, key, request_hash, token) VALUES ($1, $2, $3, gen_random_uuid())
ON CONFLICT (project_id, key) DO UPDATE
SET request_hash = excluded.request_hash, token = excluded.token, run_id = NULL, created_at = now()
WHERE idempotency_key.created_at < now() - interval '${RETENTION}'
   OR (idempotency_key.run_id IS NULL AND idempotency_key.created_at < now() - interval '${ABANDONED}')
RETURNING token, created_at AS "takenAt"
`;

/** Stores the results of requests with an Idempotency-Key. The run is stored and the key completed in one commit: see RunInserter. */
export class IdempotencyStore {
  constructor(private readonly pool: Pool) {}

  /** Takes the key for this request, or returns its state. @param requestHash SHA-256, hex */
  async claim(project: string, key: string, requestHash: string): Promise<ClaimResult> {
    // The row may be released between the two statements: then the second attempt finds it free.
    for (let round = 0; round < 3; round += 1) {
      const { rows } = await this.pool.query<Pick<IdempotencyClaim, 'token' | 'takenAt'>>({
        name: 'claim-key',
        text: CLAIM,
        values: [project, key, requestHash],
      });
      if (rows[0]) return { state: 'new', claim: { key, ...rows[0] } };
      const existing = await this.read(project, key, requestHash);
      if (existing) return existing;
    }
    return { state: 'in-flight' };
  }

  /** Reads the state of a key; null if it is unused. @param requestHash hash of the current request */
  async read(project: string, key: string, requestHash: string): Promise<KeyState | null> {
    const { rows } = await this.pool.query<{ requestHash: string; run: string | null }>({
      name: 'read-claim',
      text: `SELECT request_hash AS "requestHash", run_id AS run FROM idempotency_key WHERE project_id = $1 AND key = $2`,
      values: [project, key],
    });
    const row = rows[0];
    if (!row) return null;
    if (row.requestHash !== requestHash) return { state: 'mismatch' };
    return row.run === null ? { state: 'in-flight' } : { state: 'done', run: row.run };
  }

  /** Releases the key of a failed request. A statement that still reaches the server later stores no run. */
  async release(project: string, { key, token, takenAt: since }: IdempotencyClaim): Promise<void> {
    await this.pool.query({
      name: 'release-key',
      text: 'DELETE FROM idempotency_key WHERE project_id = $1 AND key = $2 AND token = $3 AND created_at = $4 AND run_id IS NULL',
      values: [project, key, token, since],
    });
  }

  /** Removes expired keys. @returns their number */
  async purge(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotency_key WHERE created_at < now() - interval '${RETENTION}'`,
    );
    return rowCount ?? 0;
  }
}
