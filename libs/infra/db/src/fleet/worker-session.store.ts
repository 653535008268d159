import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import { GroupCommit } from '../client/group-commit.ts';
import { type Pool, inTransaction } from '../client/pg-pool.ts';

type Hello = FromWorkerOf<'hello'>;

/** Columns of a fleet that the gateway needs. */
export interface GatewayFleet {
  id: string;
  name: string;
  surface: string;
  slots: number;
  /** Workers that no controller started may join. */
  externalWorkers: boolean;
}

/** An attempt that the session holds. */
export interface LeasedAttempt extends Attempt {
  /** Number of the last durable event of the worker. */
  n: number;
  accepted: boolean;
  /** Earlier attempts at the run that lost their worker or its surface. */
  lostAttempts: number;
  /** Earlier consecutive claims that no worker accepted. */
  rejectedClaims: number;
}

/** A session and its attempts in the database. */
export interface OpenedSession {
  session: string;
  workerId: string;
  /** First `hello` of the process. */
  isNew: boolean;
  attempts: LeasedAttempt[];
}

/** Hello of a worker. */
export interface JoiningWorker {
  readonly fleet: Pick<GatewayFleet, 'id' | 'slots'>;
  readonly hello: Hello;
  /** Ids for new rows. */
  readonly ids: { readonly workerId: string; readonly session: string };
}

// Locks in a fixed order, so that two replicas cannot deadlock.
const UPSERT_WORKERS = `
INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, idle_since, drain_requested_at)
SELECT x.id, x.fleet, x.name, x.incarnation, x.session, CASE WHEN b.name IS NULL THEN 'ready' ELSE 'draining' END, x.version, x.host, x.pid,
  x.slots, now(), b.blocked_at
FROM json_to_recordset($1::json) AS x(id uuid, fleet uuid, name text, incarnation uuid, session uuid, version text, host text, pid int, slots int)
LEFT JOIN blocked_worker b ON b.fleet_id = x.fleet AND b.name = x.name
ORDER BY x.fleet, x.incarnation
ON CONFLICT (fleet_id, incarnation) DO UPDATE SET
  session = CASE WHEN concat_ws('/', worker.fleet_id, worker.incarnation, worker.session) = ANY ($2::text[]) THEN worker.session ELSE excluded.session END,
  state = CASE WHEN worker.drain_requested_at IS NULL THEN 'ready' ELSE 'draining' END,
  slots = excluded.slots, last_seen_at = now()
WHERE worker.name = excluded.name
RETURNING id, session, fleet_id AS fleet, incarnation, xmax = 0 AS "isNew"
`;

const SELECT_LEASED_ATTEMPTS = `
SELECT l.session, l.run_id AS run, l.epoch, r.attempt_event_seq AS n, l.accepted_at IS NOT NULL AS accepted, r.lost_attempts AS "lostAttempts", r.rejected_claims AS "rejectedClaims"
FROM lease l JOIN run r ON r.id = l.run_id WHERE l.session = ANY ($1::uuid[])
`;

/**
 * Opens and resumes worker sessions, many in one commit: after a gateway crash all workers reconnect at once. A session resumes only
 * for its incarnation; otherwise the worker gets `ids.session` and holds nothing.
 */
export class WorkerSessionStore {
  private readonly commit: GroupCommit<JoiningWorker, OpenedSession | null>;

  constructor(pool: Pool) {
    this.commit = new GroupCommit({ flush: (joining) => openAll(pool, joining), keyOf });
  }

  /** @throws PilothouseError JOIN_REFUSED if a worker with another name has the incarnation */
  async open(joining: JoiningWorker): Promise<OpenedSession> {
    const opened = await this.commit.write(joining);
    if (opened) return opened;
    throw new PilothouseError(
      'JOIN_REFUSED',
      'The incarnation in the hello belongs to a worker with another name. Restart the worker, so that it gets a new incarnation.',
    );
  }
}

/** Row format of PostgreSQL. */
const keyOf = ({ fleet, hello }: JoiningWorker) => `${fleet.id}/${hello.worker.incarnation}`.toLowerCase();

/** @returns null for a worker whose incarnation belongs to another name */
function openAll(pool: Pool, joining: readonly JoiningWorker[]): Promise<(OpenedSession | null)[]> {
  const rows = joining.map(({ fleet, hello: { worker }, ids }) => ({
    id: ids.workerId,
    fleet: fleet.id,
    name: worker.name,
    incarnation: worker.incarnation,
    session: ids.session,
    version: worker.version,
    host: worker.host,
    pid: worker.pid,
    slots: Math.min(worker.slots, fleet.slots),
  }));
  const resumedSessions = joining.flatMap((worker) =>
    worker.hello.session ? `${keyOf(worker)}/${worker.hello.session.toLowerCase()}` : [],
  );
  return inTransaction(pool, async (client) => {
    const workerRows = await client.query<{
      id: string;
      session: string;
      fleet: string;
      incarnation: string;
      isNew: boolean;
    }>({
      name: 'open',
      text: UPSERT_WORKERS,
      values: [JSON.stringify(rows), resumedSessions],
    });
    const sessions = workerRows.rows.map(({ session }) => session);
    const leasedAttempts = await client.query<LeasedAttempt & { session: string }>({
      name: 'leased-attempts',
      text: SELECT_LEASED_ATTEMPTS,
      values: [sessions],
    });
    const workers = new Map(workerRows.rows.map((row) => [`${row.fleet}/${row.incarnation}`, row]));
    const attempts = Map.groupBy(leasedAttempts.rows, ({ session }) => session);
    return joining.map((worker) => {
      const row = workers.get(keyOf(worker));
      if (!row) return null;
      const { id: workerId, session, isNew } = row;
      return {
        session,
        workerId,
        isNew,
        attempts: (attempts.get(session) ?? []).map(({ session: _, ...attempt }) => attempt),
      };
    });
  });
}

/** Fleet (id) and worker (name) of a session; null if unknown. */
export async function ownerOfSession(pool: Pool, session: string): Promise<{ fleet: string; worker: string } | null> {
  const { rows } = await pool.query<{ fleet: string; worker: string }>({
    name: 'owner-of-session',
    text: 'SELECT fleet_id AS fleet, name AS worker FROM worker WHERE session = $1',
    values: [session],
  });
  return rows[0] ?? null;
}

/** Stores the status of a worker. */
export async function setWorkerState(
  pool: Pool,
  session: string,
  state: 'ready' | 'draining' | 'disconnected',
): Promise<void> {
  await pool.query('UPDATE worker SET state = $2, last_seen_at = now() WHERE session = $1', [session, state]);
}

/** Reason why a worker claims nothing: it drains permanently, or is cordoned temporarily. */
export interface WorkerFlags {
  drain: boolean;
  cordoned: boolean;
}

/** Flags of the worker of a session. */
export async function readWorkerFlags(pool: Pool, session: string): Promise<WorkerFlags> {
  const { rows } = await pool.query<WorkerFlags>(
    'SELECT drain_requested_at IS NOT NULL AS drain, cordoned_at IS NOT NULL AS cordoned FROM worker WHERE session = $1',
    [session],
  );
  return rows[0] ?? { drain: false, cordoned: false };
}
