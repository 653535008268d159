import type { WorkerState } from '@pilothouse/contract/fleet/fleet.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type {
  ConditionRecord,
  DecisionRecord,
  FleetSnapshot,
  FleetState,
  FleetWorkerState,
  FleetWorkerRef,
} from '@pilothouse/core/ports/fleet-state.port';
import { waitToLead } from '../client/leadership.ts';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { clearConditions, upsertConditions } from './fleet-conditions.ts';

/** Milliseconds between two attempts to become the leader. */
const LEAD_RETRY_MS = 1_000;

// A project counts for at most the runs that its limit still allows: runs over the limit need no workers.
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
WHERE w.state <> 'disconnected' OR w.last_seen_at > now() - interval '10 minutes'
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

/** The state of fleets in PostgreSQL, for the fleet controller. */
export function createFleetState(pool: Pool): FleetState {
  return {
    lead: (signal) => waitToLead(pool, 'fleetController', { signal, retryMs: LEAD_RETRY_MS }),
    observe: () => observe(pool),
    markDraining: (worker) => markDraining(pool, worker),
    blockWorker: (worker) => blockJoin(pool, worker),
    recordDecision: (record) => recordDecision(pool, record),
    recordConditions: (fleet, reports) => upsertConditions(pool, fleet, reports),
    clearConditions: (fleet, reasons, lastSeenUntil) => clearConditions(pool, fleet, reasons, lastSeenUntil),
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
  // A worker has one row for each session. The row lock keeps new claims out (`WRITE_RUNS`); an earlier claim has its lease already.
  const { rows } = await client.query<{ session: string }>(
    `SELECT session FROM worker WHERE name = $2 AND fleet_id = (SELECT id FROM fleet WHERE name = $1) ORDER BY id FOR UPDATE`,
    [fleet, name],
  );
  if (rows.length === 0) return 'unknown';
  const sessions = rows.map(({ session }) => session);
  const marked = await client.query(
    `UPDATE worker SET drain_requested_at = coalesce(drain_requested_at, now()), state = CASE state WHEN 'disconnected' THEN 'disconnected' ELSE 'draining' END
     WHERE session = ANY ($1) AND NOT EXISTS (SELECT 1 FROM lease WHERE session = ANY ($1))`,
    [sessions],
  );
  return marked.rowCount === 0 ? 'holds-run' : 'marked';
}

/** Hours for which a worker name stays blocked; the stopped worker has exited long before. */
const BLOCK_HOURS = 24;

function blockJoin(pool: Pool, worker: FleetWorkerRef): Promise<'barred' | 'marked' | 'holds-run'> {
  return inTransaction(pool, async (client) => {
    // A worker that is joining has joined before this lock is granted, or sees the block after it is released.
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
