import type { Attempt, FromWorkerOf } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';
import { inTransaction } from '../pool.ts';

type Hello = FromWorkerOf<'hello'>;

/** A fleet as the gateway needs it. */
export interface GatewayFleet {
  id: string;
  name: string;
  surface: string;
  slots: number;
}

/** The fleet that a token belongs to, or null. @param tokenHash SHA-256 of the token, hex */
export async function fleetByToken(pool: Pool, tokenHash: string): Promise<GatewayFleet | null> {
  const { rows } = await pool.query<GatewayFleet>('SELECT id, name, surface, slots FROM fleet WHERE token_hash = $1', [
    tokenHash,
  ]);
  return rows[0] ?? null;
}

/** An attempt that the session holds. */
export interface HeldAttempt extends Attempt {
  /** Number of the last durable event of the worker. */
  n: number;
  accepted: boolean;
  /** Former attempts at the run that lost their worker or its surface. */
  lost: number;
}

/** A session and the attempts it holds by the database. */
export interface OpenedSession {
  session: string;
  workerId: string;
  held: HeldAttempt[];
}

/**
 * Opens or resumes the session of a worker. A session goes on only for the incarnation it was given to; otherwise the worker
 * gets `newSession` and holds nothing.
 */
export function openSession(
  pool: Pool,
  fleet: GatewayFleet,
  hello: Hello,
  ids: { workerId: string; session: string },
): Promise<OpenedSession> {
  return inTransaction(pool, async (client) => {
    const { worker, session: asked } = hello;
    const slots = Math.min(worker.slots, fleet.slots);
    const upserted = await client.query<{ id: string; session: string }>(
      `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, idle_since)
       VALUES ($1, $2, $3, $4, $5, 'ready', $6, $7, $8, $9, now())
       ON CONFLICT (fleet_id, incarnation) DO UPDATE SET
         session = CASE WHEN worker.session = $10 THEN worker.session ELSE excluded.session END,
         state = CASE WHEN worker.drain_requested_at IS NULL THEN 'ready' ELSE 'draining' END,
         slots = excluded.slots, last_seen_at = now()
       RETURNING id, session`,
      [
        ids.workerId,
        fleet.id,
        worker.name,
        worker.incarnation,
        ids.session,
        worker.version,
        worker.host,
        worker.pid,
        slots,
        asked ?? null,
      ],
    );
    const row = upserted.rows[0];
    if (!row) throw new Error('The worker was not stored');
    const held = await client.query<HeldAttempt>(
      `SELECT l.run_id AS run, l.epoch, r.event_n AS n, l.accepted_at IS NOT NULL AS accepted, r.lost
       FROM lease l JOIN run r ON r.id = l.run_id WHERE l.session = $1`,
      [row.session],
    );
    return { session: row.session, workerId: row.id, held: held.rows };
  });
}

/** Writes what a worker is at. */
export async function setWorkerState(pool: Pool, session: string, state: 'ready' | 'draining' | 'gone'): Promise<void> {
  await pool.query('UPDATE worker SET state = $2, last_seen_at = now() WHERE session = $1', [session, state]);
}
