import type { SurfaceKind, WorkerState } from '@pilothouse/contract';
import {
  type ConditionRecord,
  type DecisionRecord,
  type FleetSnapshot,
  type FleetState,
  type FleetWorkerState,
  type Leadership,
  type FleetWorkerRef,
  systemTimers,
} from '@pilothouse/core';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { clearConditions, upsertConditions } from './fleet-conditions.ts';

/** Name of the advisory lock that only one controller holds. */
const CONTROLLER_LOCK = 7_447_002;

/** Milliseconds between two tries to lead. */
const TRY_EVERY_MS = 1_000;

// Runs that their project's limit holds back do not call for workers: each project counts for at most what it may still start.
const FLEETS = `
SELECT f.id, f.name AS fleet, f.surface, f.slots, f.min_workers AS "minWorkers", f.max_workers AS "maxWorkers", f.idle_slots AS "idleSlots", f.cooldown_seconds AS "cooldownSeconds", f.paused_at IS NOT NULL AS paused,
  CASE WHEN f.paused_at IS NOT NULL THEN 0 ELSE coalesce((
    SELECT sum(least(q.waiting, greatest(0, coalesce(p.max_concurrent_runs - b.running, q.waiting))))::int
    FROM (SELECT project_id, count(*) AS waiting FROM run WHERE fleet_id = f.id AND status = 'queued' GROUP BY project_id) q
    JOIN project p ON p.id = q.project_id
    CROSS JOIN LATERAL (SELECT count(*) AS running FROM run r WHERE r.fleet_id = ANY (ARRAY(SELECT id FROM fleet)) AND r.project_id = p.id AND r.status = 'running') b
  ), 0) END AS waiting,
  (SELECT coalesce(json_agg(json_build_object('reason', c.reason, 'message', c.message, 'lastSeenAt', extract(epoch FROM c.last_seen_at) * 1000) ORDER BY c.reason), '[]')
   FROM fleet_condition c WHERE c.fleet_id = f.id) AS conditions,
  extract(epoch FROM now()) * 1000 AS "observedAt"
FROM fleet f ORDER BY f.name
`;

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const WORKERS = `
SELECT w.fleet_id AS fleet, w.id, w.name, w.state, w.slots, count(l.run_id)::int AS busy,
  CASE WHEN count(l.run_id) = 0 THEN ${ms('coalesce(w.idle_since, w.last_seen_at)')} END AS "idleSince",
  ${ms('w.started_at')} AS "startedAt", ${ms('w.last_seen_at')} AS "lastSeenAt", ${ms('w.drain_requested_at')} AS "drainingSince",
  w.cordoned_at IS NOT NULL AS cordoned
FROM worker w LEFT JOIN lease l ON l.session = w.session
WHERE w.state <> 'gone' OR w.last_seen_at > now() - interval '10 minutes'
GROUP BY w.id
`;

interface FleetRow {
  id: string;
  fleet: string;
  surface: SurfaceKind;
  slots: number;
  minWorkers: number;
  maxWorkers: number;
  idleSlots: number;
  cooldownSeconds: number;
  paused: boolean;
  waiting: number;
  conditions: ConditionRecord[];
  observedAt: string;
}

interface WorkerRow extends FleetWorkerState {
  fleet: string;
  state: WorkerState;
}

/** What the fleet controller sees of PostgreSQL. */
export function createFleetState(pool: Pool): FleetState {
  return {
    lead: (signal) => lead(pool, signal),
    observe: () => observe(pool),
    markDraining: (worker) => markDraining(pool, worker),
    bar: (worker) => blockJoin(pool, worker),
    recordDecision: (record) => recordDecision(pool, record),
    recordConditions: (fleet, notes) => upsertConditions(pool, fleet, notes),
    clearConditions: (fleet, reasons, seenUntil) => clearConditions(pool, fleet, reasons, seenUntil),
  };
}

async function observe(pool: Pool): Promise<FleetSnapshot[]> {
  const [fleets, workers] = await Promise.all([pool.query<FleetRow>(FLEETS), pool.query<WorkerRow>(WORKERS)]);
  return fleets.rows.map(
    ({
      id,
      fleet,
      surface,
      waiting,
      conditions,
      observedAt,
      slots,
      minWorkers,
      maxWorkers,
      idleSlots,
      cooldownSeconds,
      paused,
    }) => ({
      fleet,
      surface,
      config: { slots, minWorkers, maxWorkers, idleSlots, cooldownSeconds, paused },
      waiting,
      workers: workers.rows.filter((row) => row.fleet === id).map(({ fleet: _, ...worker }) => worker),
      conditions,
      observedAt: Number(observedAt),
    }),
  );
}

const markDraining = (pool: Pool, worker: FleetWorkerRef) =>
  inTransaction(pool, (client) => tryMarkDraining(client, worker));

async function tryMarkDraining(
  client: PoolClient,
  { fleet, name }: FleetWorkerRef,
): Promise<'marked' | 'holds-run' | 'unknown'> {
  // A worker that joined again has a row for each time. The lock keeps claims out (`WRITE_RUNS`): one that was before has its lease by now.
  const { rows } = await client.query<{ session: string }>(
    `SELECT session FROM worker WHERE name = $2 AND fleet_id = (SELECT id FROM fleet WHERE name = $1) ORDER BY id FOR UPDATE`,
    [fleet, name],
  );
  if (rows.length === 0) return 'unknown';
  const sessions = rows.map(({ session }) => session);
  const marked = await client.query(
    `UPDATE worker SET drain_requested_at = coalesce(drain_requested_at, now()), state = CASE state WHEN 'gone' THEN 'gone' ELSE 'draining' END
     WHERE session = ANY ($1) AND NOT EXISTS (SELECT 1 FROM lease WHERE session = ANY ($1))`,
    [sessions],
  );
  return marked.rowCount === 0 ? 'holds-run' : 'marked';
}

/** Hours for which a name is barred: what was stopped is long gone by then. */
const BLOCK_HOURS = 24;

function blockJoin(pool: Pool, worker: FleetWorkerRef): Promise<'barred' | 'marked' | 'holds-run'> {
  return inTransaction(pool, async (client) => {
    // Who is joining has joined when this lock is had, or sees the bar when it is given back.
    await client.query('LOCK TABLE worker IN SHARE ROW EXCLUSIVE MODE');
    const marked = await tryMarkDraining(client, worker);
    if (marked !== 'unknown') return marked;
    await client.query(`DELETE FROM blocked_worker WHERE blocked_at < now() - $1 * interval '1 hour'`, [BLOCK_HOURS]);
    await client.query(
      'INSERT INTO blocked_worker (fleet_id, name) SELECT id, $2 FROM fleet WHERE name = $1 ON CONFLICT DO NOTHING',
      [worker.fleet, worker.name],
    );
    return 'barred';
  });
}

async function recordDecision(pool: Pool, { fleet, decision, workers, error }: DecisionRecord): Promise<void> {
  await pool.query(
    `INSERT INTO fleet_decision (fleet_id, action, reason, workers, error) SELECT id, $2, $3, $4, $5 FROM fleet WHERE name = $1`,
    [fleet, decision.action, decision.reason, workers, error],
  );
}

/** Waits for the controller's advisory lock on a connection of its own; the lock ends with the connection. */
async function lead(pool: Pool, signal: AbortSignal): Promise<Leadership> {
  for (;;) {
    signal.throwIfAborted();
    const client = await pool.connect();
    const lost = new AbortController();
    const broken = (error: Error) => lost.abort(error);
    client.on('error', broken);
    try {
      if (await tryLock(client)) {
        return {
          lost: lost.signal,
          async release() {
            await client.query('SELECT pg_advisory_unlock($1)', [CONTROLLER_LOCK]).catch(() => undefined);
            client.off('error', broken);
            client.release(true);
          },
        };
      }
      client.off('error', broken);
      client.release();
    } catch (error) {
      client.off('error', broken);
      client.release(true);
      throw error;
    }
    await systemTimers.delay(TRY_EVERY_MS, signal);
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ leads: boolean }>('SELECT pg_try_advisory_lock($1) AS leads', [
    CONTROLLER_LOCK,
  ]);
  return rows[0]?.leads ?? false;
}
