import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  UpdateFleet,
  ConditionReason,
  FleetConfig,
  FleetDecision,
  LimitsManagedBy,
  FleetView,
  WorkerState,
} from '@pilothouse/contract/fleet/fleet.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { Fleet, FleetCondition, PrismaClient, Worker } from '../generated/client.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A configured fleet, with the hash of its token. */
export type FleetUpsert = Omit<FleetConfig, 'token'> & { id: string; tokenHash: string | undefined };

/** A candidate fleet for a run. */
export interface EligibleFleet {
  id: string;
  name: string;
  surface: SurfaceKind;
  paused: boolean;
  /** It is dedicated to the project, rather than open to all. */
  dedicated: boolean;
}

const serves = (project: string) => ({ OR: [{ projects: { isEmpty: true } }, { projects: { has: project } }] });

/** Fleets, written by configuration and read by clients. */
export class FleetStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** Clears tokens that are now configured for another fleet. Tokens are unique. */
  async releaseTokens(tokens: readonly { name: string; tokenHash: string }[]): Promise<void> {
    await this.pool.query(
      `UPDATE fleet f SET token_hash = NULL FROM unnest($1::text[], $2::text[]) AS t (name, hash)
       WHERE f.token_hash = t.hash AND f.name <> t.name`,
      [tokens.map(({ name }) => name), tokens.map(({ tokenHash }) => tokenHash)],
    );
  }

  /**
   * Creates or updates the fleet of this name. Without a token the stored one remains. Limits set by an admin apply until the configured limits
   * change.
   */
  async upsert({
    id,
    name,
    tokenHash,
    limitsManagedBy,
    minWorkers,
    maxWorkers,
    idleSlots,
    ...config
  }: FleetUpsert): Promise<void> {
    const limits = { minWorkers, maxWorkers, idleSlots };
    const configuredLimits = [minWorkers, maxWorkers, idleSlots];
    const previous = await this.prisma.fleet.findUnique({ where: { name }, select: { configuredLimits: true } });
    const isNew = limitsManagedBy !== undefined || previous?.configuredLimits.join() !== configuredLimits.join();
    const data = {
      ...config,
      configuredLimits,
      limitsManagedBy: limitsManagedBy ?? null,
      ...(tokenHash !== undefined && { tokenHash }),
    };
    await this.prisma.fleet.upsert({
      where: { name },
      create: { id, name, ...data, ...limits },
      update: { ...data, ...(isNew && limits) },
    });
  }

  /**
   * Changes the worker limits of a fleet.
   * @throws PilothouseError CONFLICT when they are managed elsewhere; BAD_REQUEST when min exceeds max
   */
  async change(fleet: string, { minWorkers, maxWorkers, idleSlots }: UpdateFleet): Promise<void> {
    const { rows } = await this.pool.query<{
      limitsManagedBy: LimitsManagedBy | null;
      minWorkers: number;
      maxWorkers: number;
      changed: boolean;
    }>(
      `WITH requested AS (
         SELECT id, limits_managed_by, coalesce($2, min_workers) AS min_workers, coalesce($3, max_workers) AS max_workers,
           coalesce($4, idle_slots) AS idle_slots
         FROM fleet WHERE id = $1 FOR UPDATE
       ), changed AS (
         UPDATE fleet f SET min_workers = w.min_workers, max_workers = w.max_workers, idle_slots = w.idle_slots FROM requested w
         WHERE f.id = w.id AND w.limits_managed_by IS NULL AND w.min_workers <= w.max_workers RETURNING f.id
       )
       SELECT limits_managed_by AS "limitsManagedBy", min_workers AS "minWorkers", max_workers AS "maxWorkers", EXISTS (SELECT FROM changed) AS changed FROM requested`,
      [fleet, minWorkers ?? null, maxWorkers ?? null, idleSlots ?? null],
    );
    const [row] = rows;
    if (!row || row.changed) return;
    if (row.limitsManagedBy) throw new PilothouseError('CONFLICT', MANAGED_LIMITS_MESSAGES[row.limitsManagedBy]);
    throw new PilothouseError('VALIDATION_FAILED', 'The request is invalid', {
      fields: [
        {
          pointer: '/minWorkers',
          detail: `minWorkers (${row.minWorkers}) must not exceed maxWorkers (${row.maxWorkers})`,
        },
      ],
    });
  }

  /**
   * Retires fleets that are no longer configured: they get no new workers, and idle ones are removed.
   * @returns names of newly retired fleets
   */
  async retireOthers(names: readonly string[]): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `UPDATE fleet SET min_workers = 0, max_workers = 0, idle_slots = 0, configured_limits = '{}', limits_managed_by = 'retired'
       WHERE name <> ALL ($1::text[]) AND (min_workers > 0 OR max_workers > 0 OR idle_slots > 0 OR limits_managed_by IS DISTINCT FROM 'retired')
       RETURNING name`,
      [names],
    );
    return rows.map(({ name }) => name).sort();
  }

  /** Fleets that take new runs of a project: the configured ones. @param project slug */
  async serving(project: string): Promise<EligibleFleet[]> {
    const { rows } = await this.pool.query<EligibleFleet>({
      name: 'serving-fleets',
      text: `SELECT id, name, surface, paused_at IS NOT NULL AS paused, $1 = ANY (projects) AS dedicated
             FROM fleet WHERE (cardinality(projects) = 0 OR $1 = ANY (projects)) AND limits_managed_by IS DISTINCT FROM 'retired' ORDER BY name`,
      values: [project],
    });
    return rows;
  }

  /** Slugs of projects that a fleet serves, except those with the given ids. */
  async otherProjects(fleet: string, projects: readonly string[]): Promise<string[]> {
    const { rows } = await this.pool.query<{ slug: string }>(
      `SELECT p.slug FROM project p JOIN fleet f ON cardinality(f.projects) = 0 OR p.slug = ANY (f.projects)
       WHERE f.id = $1 AND p.id <> ALL ($2::uuid[]) ORDER BY p.slug`,
      [fleet, projects],
    );
    return rows.map(({ slug }) => slug);
  }

  /** Fleets of a project with load and workers; only runs of the project are named. @param only name of the only fleet to return */
  async list(project: string, only?: string): Promise<FleetView[]> {
    const rows = await this.prisma.fleet.findMany({
      where: { ...serves(project), ...(only !== undefined && { name: only }) },
      orderBy: { name: 'asc' },
      include: {
        workers: { where: { state: { not: 'disconnected' } }, orderBy: { startedAt: 'asc' } },
        conditions: { orderBy: { firstSeenAt: 'asc' } },
      },
    });
    const loads = await this.prisma.run.groupBy({
      by: ['fleetId', 'status'],
      where: { fleetId: { in: rows.map(({ id }) => id) }, status: { in: ['queued', 'running'] } },
      _count: { _all: true },
    });
    const runsBySession = await this.readRunsBySession(project, rows);
    const load = (fleet: string, status: string) =>
      loads.find((group) => group.fleetId === fleet && group.status === status)?._count._all ?? 0;
    return rows.map((row) => fleetView(row, load(row.id, 'queued'), load(row.id, 'running'), runsBySession));
  }

  /** Runs of a project by worker session. */
  private async readRunsBySession(project: string, fleets: readonly { workers: Worker[] }[]): Promise<RunsBySession> {
    const sessions = fleets.flatMap(({ workers }) => workers.map(({ session }) => session));
    if (sessions.length === 0) return new Map();
    const { rows } = await this.pool.query<{ session: string; id: string; name: string }>(
      `SELECT l.session, r.id, COALESCE(left(regexp_replace(r.goal, '\\s+', ' ', 'g'), 120), r.workflow_name) AS name FROM lease l JOIN run r ON r.id = l.run_id JOIN project p ON p.id = r.project_id
       WHERE l.session = ANY ($1::uuid[]) AND p.slug = $2 ORDER BY l.claimed_at, r.id`,
      [sessions, project],
    );
    return Map.groupBy(rows, ({ session }) => session);
  }

  /** Scaling decisions of a fleet, newest first. */
  async decisions(fleet: string, limit: number): Promise<FleetDecision[]> {
    const rows = await this.prisma.fleetDecision.findMany({
      where: { fleetId: fleet },
      orderBy: [{ decidedAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(({ decidedAt, action, reason, by, workers, error }) => ({
      at: decidedAt.toISOString(),
      action,
      reason,
      requestedBy: by,
      workers,
      error,
    }));
  }

  /**
   * Marks a worker as draining, with or without runs. It claims none from now on, and is notified with its next renewal.
   * @param actor name of the person or key, for the recorded decision
   * @returns whether the worker exists
   */
  async drain(fleet: string, worker: string, actor: string): Promise<boolean> {
    // The SELECT of `fresh` sees the worker before the update.
    const { rowCount } = await this.pool.query(
      `WITH drained AS (
         UPDATE worker SET drain_requested_at = coalesce(drain_requested_at, now()), state = 'draining'
         WHERE fleet_id = $1 AND id = $2 AND state <> 'disconnected' RETURNING id, name
       ), fresh AS (SELECT id FROM worker WHERE fleet_id = $1 AND id = $2 AND drain_requested_at IS NULL),
       recorded AS (
         INSERT INTO fleet_decision (fleet_id, action, reason, workers, by)
         SELECT $1, 'drain', 'manual', ARRAY[d.name], $3 FROM drained d JOIN fresh USING (id)
       )
       SELECT FROM drained`,
      [fleet, worker, actor],
    );
    return rowCount === 1;
  }

  /**
   * Cordons or uncordons a worker. Once a cordon has resolved, no run is claimed for the worker.
   * @param actor name of the person or key, for the recorded decision
   * @returns whether the worker exists
   */
  async cordon(fleet: string, worker: string, cordoned: boolean, actor: string): Promise<boolean> {
    // The lock waits for active claims (see `WRITE_RUNS`).
    const { rowCount } = await this.pool.query(
      `WITH connected_worker AS MATERIALIZED (
         SELECT id, name, cordoned_at IS NOT NULL AS was_cordoned FROM worker WHERE fleet_id = $1 AND id = $2 AND state <> 'disconnected' FOR UPDATE
       ), changed AS (
         UPDATE worker w SET cordoned_at = CASE WHEN $3 THEN coalesce(w.cordoned_at, now()) END FROM connected_worker c WHERE w.id = c.id RETURNING w.id
       ), recorded AS (
         INSERT INTO fleet_decision (fleet_id, action, reason, workers, by)
         SELECT $1, CASE WHEN $3 THEN 'cordon' ELSE 'uncordon' END, 'manual', ARRAY[name], $4 FROM connected_worker WHERE was_cordoned <> $3
       )
       SELECT FROM changed`,
      [fleet, worker, cordoned, actor],
    );
    return rowCount === 1;
  }
}

type RunsBySession = ReadonlyMap<string, readonly { id: string; name: string }[]>;

const MANAGED_LIMITS_MESSAGES: Record<LimitsManagedBy, string> = {
  configuration: 'The configuration manages the limits of this fleet. Change them there (chart values).',
  retired: 'The fleet is not in the configuration. Add it there to get workers.',
};

const fleetView = (
  row: Fleet & { workers: Worker[]; conditions: FleetCondition[] },
  waiting: number,
  running: number,
  runsBySession: RunsBySession,
): FleetView => ({
  id: row.id,
  name: row.name,
  surface: row.surface as SurfaceKind,
  slots: row.slots,
  minWorkers: row.minWorkers,
  maxWorkers: row.maxWorkers,
  idleSlots: row.idleSlots,
  limitsManagedBy: row.limitsManagedBy as LimitsManagedBy | null,
  paused: row.pausedAt !== null,
  waiting,
  running,
  workers: row.workers.map((worker) => ({
    id: worker.id,
    name: worker.name,
    state: worker.state as WorkerState,
    version: worker.version,
    slots: worker.slots,
    busy: worker.busy,
    cordoned: worker.cordonedAt !== null,
    runs: (runsBySession.get(worker.session) ?? []).map(({ id, name }) => ({ id, name })),
    startedAt: worker.startedAt.toISOString(),
    lastSeenAt: worker.lastSeenAt.toISOString(),
  })),
  conditions: row.conditions.map(({ reason, message, count, firstSeenAt, lastSeenAt }) => ({
    reason: reason as ConditionReason,
    message,
    count,
    since: firstSeenAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  })),
});
