import type { Pool } from '../client/pg-pool.ts';

/** An Idempotency-Key in the hands of one request. */
export interface IdempotencyClaim {
  key: string;
  /** No other request that holds the key, before or after, has the same. */
  token: string;
  /** When it was taken: whoever takes it over without a token of its own, as the version before does, changes it. */
  since: Date;
}

/** What a key stands for. */
export type KeyState =
  /** The first request is still at work. */
  | { state: 'in-flight' }
  /** The key was used for another request. */
  | { state: 'mismatch' }
  | { state: 'done'; run: string };

/** What is known of a request by its key. */
export type ClaimResult = { state: 'new'; held: IdempotencyClaim } | KeyState;

/** A key is remembered for so long. */
const KEPT = '24 hours';

/** A request that has not come to an end within this time is taken to be gone, with its process; should it go on, it finds another token. */
const ABANDONED = '2 minutes';

const CLAIM = `
INSERT INTO idempotency_key (project_id, key, request_hash, token) VALUES ($1, $2, $3, gen_random_uuid())
ON CONFLICT (project_id, key) DO UPDATE
SET request_hash = excluded.request_hash, token = excluded.token, run_id = NULL, created_at = now()
WHERE idempotency_key.created_at < now() - interval '${KEPT}'
   OR (idempotency_key.run_id IS NULL AND idempotency_key.created_at < now() - interval '${ABANDONED}')
RETURNING token, created_at AS since
`;

/** Remembers what requests with an Idempotency-Key came to. The run and the key's end are one commit: see RunInserter. */
export class IdempotencyStore {
  constructor(private readonly pool: Pool) {}

  /** Takes the key for this request, or says what it stands for already. @param requestHash SHA-256, hex */
  async claim(project: string, key: string, requestHash: string): Promise<ClaimResult> {
    // The row may go (released) between the two statements: then the second look finds it free.
    for (let round = 0; round < 3; round += 1) {
      const { rows } = await this.pool.query<Pick<IdempotencyClaim, 'token' | 'since'>>({
        name: 'claim-key',
        text: CLAIM,
        values: [project, key, requestHash],
      });
      if (rows[0]) return { state: 'new', held: { key, ...rows[0] } };
      const known = await this.read(project, key, requestHash);
      if (known) return known;
    }
    return { state: 'in-flight' };
  }

  /** What a key stands for; null: nothing. @param requestHash of the request that it is to stand for */
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

  /** The request comes to nothing: the key is free again, and what is still on its way to the server finds it so and stores no run. */
  async release(project: string, { key, token, since }: IdempotencyClaim): Promise<void> {
    await this.pool.query({
      name: 'release-key',
      text: 'DELETE FROM idempotency_key WHERE project_id = $1 AND key = $2 AND token = $3 AND created_at = $4 AND run_id IS NULL',
      values: [project, key, token, since],
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
