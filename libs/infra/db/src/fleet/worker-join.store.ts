import type { Pool } from '../client/pg-pool.ts';
import type { GatewayFleet } from './worker-session.store.ts';

/**
 * Kind of a credential: the token of a fleet, a join token that a controller issued for one worker, or the session key for which it was
 * exchanged.
 */
export type CredentialKind = 'fleet' | 'join' | 'session';

/** A valid credential with its fleet. The join may have ended or expired. */
export interface WorkerCredentialRecord {
  readonly kind: CredentialKind;
  /** SHA-256 of the credential, hex. */
  readonly hash: string;
  /** Name of the worker that it belongs to; null: of any worker. */
  readonly worker: string | null;
  readonly fleet: GatewayFleet;
}

/** Reasons why a join token is refused. */
export type JoinRefusal = 'used' | 'expired' | 'ended' | 'other_worker';

/** Days for which an ended join is kept, so that a later use of its token is recognised. */
const RETENTION_DAYS = 7;

/** Hours for which a join that expired without use is kept. */
const UNUSED_RETENTION_HOURS = 1;

/**
 * Hours without contact after which a worker whose end was not reported counts as ended. Longer than an outage of the gateways, after which
 * all workers reconnect with their keys.
 */
const SILENCE_HOURS = 24;

/** The credential with this hash; null if unknown, or if its worker has ended. @param hash SHA-256, hex */
export async function findWorkerCredential(pool: Pool, hash: string): Promise<WorkerCredentialRecord | null> {
  const { rows } = await pool.query<GatewayFleet & { kind: CredentialKind; worker: string | null }>({
    name: 'find-worker-credential',
    text: `WITH credential AS (
             SELECT 'fleet' AS kind, id AS fleet_id, NULL AS worker FROM fleet WHERE token_hash = $1
             UNION ALL SELECT 'join', fleet_id, worker_name FROM worker_join WHERE token_hash = $1
             UNION ALL SELECT 'session', fleet_id, worker_name FROM worker_join WHERE key_hash = $1 AND ended_at IS NULL
           )
           SELECT kind, worker, id, name, surface, slots, external_workers AS "externalWorkers" FROM credential JOIN fleet ON id = fleet_id`,
    values: [hash],
  });
  const [row] = rows;
  if (!row) return null;
  const { kind, worker, ...fleet } = row;
  return { kind, hash, worker, fleet };
}

/** Joins of the workers that a controller starts. */
export class WorkerJoinStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Stores a join token of a new worker, and removes joins that are no longer needed.
   * @throws Error if the fleet does not exist
   */
  async issue(fleet: string, worker: string, tokenHash: string, ttlSeconds: number): Promise<void> {
    await this.prune();
    const { rowCount } = await this.pool.query(
      `INSERT INTO worker_join (token_hash, fleet_id, worker_name, expires_at)
       SELECT $3, id, $2, now() + $4 * interval '1 second' FROM fleet WHERE name = $1`,
      [fleet, worker, tokenHash, ttlSeconds],
    );
    if (rowCount === 0) throw new Error(`Fleet ${fleet} does not exist`);
  }

  /**
   * Exchanges a join token for a session key. The same worker may repeat the exchange with the same key: the answer to its first one may
   * have been lost.
   * @returns null on success
   */
  async exchange(tokenHash: string, worker: string, keyHash: string): Promise<JoinRefusal | null> {
    // One statement decides: of two workers with the same token, one is refused.
    const exchanged = await this.pool.query(
      `UPDATE worker_join SET used_at = coalesce(used_at, now()), key_hash = $3
       WHERE token_hash = $1 AND worker_name = $2 AND ended_at IS NULL AND (key_hash = $3 OR (key_hash IS NULL AND expires_at > now()))`,
      [tokenHash, worker, keyHash],
    );
    if (exchanged.rowCount === 1) return null;
    const { rows } = await this.pool.query<{ refusal: JoinRefusal }>(
      `SELECT CASE WHEN worker_name <> $2 THEN 'other_worker' WHEN ended_at IS NOT NULL THEN 'ended'
         WHEN used_at IS NOT NULL THEN 'used' ELSE 'expired' END AS refusal FROM worker_join WHERE token_hash = $1`,
      [tokenHash, worker],
    );
    return rows[0]?.refusal ?? 'ended';
  }

  /** Invalidates token and session key of a worker that has ended. */
  async end(fleet: string, worker: string): Promise<void> {
    await this.pool.query(
      `UPDATE worker_join SET ended_at = now()
       WHERE worker_name = $2 AND fleet_id = (SELECT id FROM fleet WHERE name = $1) AND ended_at IS NULL`,
      [fleet, worker],
    );
  }

  private async prune(): Promise<void> {
    await this.pool.query(
      `WITH silent AS (
         UPDATE worker_join j SET ended_at = now()
         WHERE ended_at IS NULL AND used_at < now() - $2 * interval '1 hour' AND NOT EXISTS (
           SELECT FROM worker w WHERE w.fleet_id = j.fleet_id AND w.name = j.worker_name
             AND (w.state <> 'disconnected' OR w.last_seen_at > now() - $2 * interval '1 hour'))
       )
       DELETE FROM worker_join
       WHERE ended_at < now() - $1 * interval '1 day'
         OR (ended_at IS NULL AND used_at IS NULL AND expires_at < now() - $3 * interval '1 hour')`,
      [RETENTION_DAYS, SILENCE_HOURS, UNUSED_RETENTION_HOURS],
    );
  }
}
