import type { FleetQueue, FleetLoad } from '@pilothouse/contract/api/fleets.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { inTransaction, type Pool } from '../client/pg-pool.ts';

/** Milliseconds that a pause waits for active statements. */
const LOCK_TIMEOUT_MS = 3_000;

const LOCK_NOT_AVAILABLE = '55P03';

/*
 * Runs in the window of a paused fleet could still be claimed, because their jobs are in Redis. They leave the window and get a new dispatch
 * number, so that the claim rejects their jobs.
 */
const WITHDRAW = `
WITH admitted AS (
  SELECT id FROM run WHERE fleet_id = $1 AND status = 'queued' AND admitted_at IS NOT NULL ORDER BY id FOR UPDATE
)
UPDATE run r SET admitted_at = NULL, dispatch_number = r.dispatch_number + 1 FROM admitted a WHERE r.id = a.id
`;

const load = (only: string) => `json_build_object(
  'backlog', count(*) FILTER (WHERE ${only} AND status = 'queued' AND admitted_at IS NULL),
  'admitted', count(*) FILTER (WHERE ${only} AND status = 'queued' AND admitted_at IS NOT NULL),
  'running', count(*) FILTER (WHERE ${only} AND status = 'running'),
  'awaitingUser', count(*) FILTER (WHERE ${only} AND status = 'awaiting_user'),
  'oldestQueuedAt', extract(epoch FROM min(queued_at) FILTER (WHERE ${only} AND status = 'queued')) * 1000
)`;

// $1: slug of the project, $2: its id.
const QUEUES = `
SELECT f.name AS fleet, f.surface, f.paused_at AS "pausedAt", l.of_all AS total, l.of_project AS project
FROM fleet f CROSS JOIN LATERAL (
  SELECT ${load('true')} AS of_all, ${load('project_id = $2')} AS of_project
  FROM run WHERE fleet_id = f.id AND status IN ('queued', 'running', 'awaiting_user')
) l
WHERE cardinality(f.projects) = 0 OR $1 = ANY (f.projects) ORDER BY f.name
`;

/** Counters of the queue of one fleet. */
export interface QueueStats {
  readonly fleet: string;
  readonly backlog: number;
  readonly admitted: number;
  readonly running: number;
  readonly awaitingUser: number;
  /** Seconds that the oldest queued run has waited; 0 without one. */
  readonly oldestSeconds: number;
  readonly paused: boolean;
}

const STATS = `
SELECT f.name AS fleet, f.paused_at IS NOT NULL AS paused, q.backlog, q.admitted, q.running, q."awaitingUser",
  coalesce(greatest(0, extract(epoch FROM now() - q.oldest)), 0)::float8 AS "oldestSeconds"
FROM fleet f CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE status = 'queued' AND admitted_at IS NULL) AS backlog,
    count(*) FILTER (WHERE status = 'queued' AND admitted_at IS NOT NULL) AS admitted,
    count(*) FILTER (WHERE status = 'running') AS running,
    count(*) FILTER (WHERE status = 'awaiting_user') AS "awaitingUser",
    min(queued_at) FILTER (WHERE status = 'queued') AS oldest
  FROM run WHERE fleet_id = f.id AND status IN ('queued', 'running', 'awaiting_user')
) q ORDER BY f.name LIMIT 200
`;

interface LoadRow extends Omit<FleetLoad, 'oldestQueuedAt'> {
  oldestQueuedAt: number | null;
}

interface Row {
  fleet: string;
  surface: SurfaceKind;
  pausedAt: Date | null;
  total: LoadRow;
  project: LoadRow;
}

/** Queues of fleets: waiting runs, and the pause state. */
export class FleetQueueStore {
  constructor(private readonly pool: Pool) {}

  /** Queues of the fleets that serve a project. */
  async read(project: { id: string; slug: string }): Promise<FleetQueue[]> {
    const { rows } = await this.pool.query<Row>(QUEUES, [project.slug, project.id]);
    return rows.map(({ pausedAt, total, project, ...row }) => ({
      ...row,
      pausedAt: pausedAt?.toISOString() ?? null,
      total: loadOf(total),
      project: loadOf(project),
    }));
  }

  /** Counters of the queues of all fleets, 200 at most. @param timeoutMs statement timeout in milliseconds */
  readStats(timeoutMs: number): Promise<QueueStats[]> {
    return inTransaction(this.pool, async (client) => {
      await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
      return (await client.query<QueueStats>(STATS)).rows;
    });
  }

  /**
   * Pauses a fleet; active runs continue. Once this has resolved, no queued run of the fleet is claimed.
   * @returns number of runs that left the window
   * @throws PilothouseError UNAVAILABLE when writers hold the lock for too long
   */
  async pause(fleet: string): Promise<number> {
    return inTransaction(this.pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      // Earlier submits and admissions still see an active fleet: they must end first, and later ones must see the pause.
      await client.query('LOCK TABLE run IN SHARE ROW EXCLUSIVE MODE');
      await client.query('UPDATE fleet SET paused_at = coalesce(paused_at, now()) WHERE id = $1', [fleet]);
      return (await client.query(WITHDRAW, [fleet])).rowCount ?? 0;
    }).catch((error: unknown) => {
      throw isBusy(error)
        ? new PilothouseError(
            'UNAVAILABLE',
            'The fleet could not be paused in time because of concurrent writes. Try again.',
          )
        : error;
    });
  }

  /** Resumes a fleet. Admission selects the next runs. */
  async resume(fleet: string): Promise<void> {
    await this.pool.query('UPDATE fleet SET paused_at = NULL WHERE id = $1', [fleet]);
  }
}

const isBusy = (error: unknown) => error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;

const loadOf = ({ oldestQueuedAt, ...counts }: LoadRow): FleetLoad => ({
  ...counts,
  oldestQueuedAt: oldestQueuedAt === null ? null : new Date(oldestQueuedAt).toISOString(),
});
