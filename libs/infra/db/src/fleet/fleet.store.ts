import type {
  ConditionReason,
  FleetConfig,
  FleetDecision,
  FleetView,
  SurfaceKind,
  WorkerState,
} from '@pilothouse/contract';
import type { Fleet, FleetCondition, PrismaClient, Worker } from '../generated/client.ts';
import type { Pool } from '../pool.ts';

/** A fleet as configuration gives it, with the hash of its token instead of the token. */
export type FleetWrite = Omit<FleetConfig, 'token'> & { id: string; tokenHash: string | undefined };

/** A fleet that a run may go to. */
export interface ServingFleet {
  id: string;
  name: string;
  surface: SurfaceKind;
  paused: boolean;
  /** It names the project, rather than serving all. */
  dedicated: boolean;
}

const serves = (project: string) => ({ OR: [{ projects: { isEmpty: true } }, { projects: { has: project } }] });

/** Fleets, as configuration writes and clients read them. */
export class FleetStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** Makes a fleet, or changes the one of the same name. Without a token it keeps the one it has. */
  async upsert({ id, name, tokenHash, ...config }: FleetWrite): Promise<void> {
    const data = { ...config, ...(tokenHash !== undefined && { tokenHash }) };
    await this.prisma.fleet.upsert({ where: { name }, create: { id, name, ...data }, update: data });
  }

  /**
   * Fleets that configuration no longer names get no new worker, and those they have go when they are idle.
   * @returns names of those for which that is new
   */
  async retireOthers(names: readonly string[]): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      `UPDATE fleet SET min = 0, max = 0, idle = 0 WHERE name <> ALL ($1::text[]) AND (min > 0 OR max > 0 OR idle > 0) RETURNING name`,
      [names],
    );
    return rows.map(({ name }) => name).sort();
  }

  /** Fleets that serve a project. @param project slug */
  async serving(project: string): Promise<ServingFleet[]> {
    const { rows } = await this.pool.query<ServingFleet>({
      name: 'serving-fleets',
      text: `SELECT id, name, surface, paused_at IS NOT NULL AS paused, $1 = ANY (projects) AS dedicated
             FROM fleet WHERE cardinality(projects) = 0 OR $1 = ANY (projects) ORDER BY name`,
      values: [project],
    });
    return rows;
  }

  /** Fleets that serve a project, with their load and their workers. @param only name of the only one wanted */
  async list(project: string, only?: string): Promise<FleetView[]> {
    const rows = await this.prisma.fleet.findMany({
      where: { ...serves(project), ...(only !== undefined && { name: only }) },
      orderBy: { name: 'asc' },
      include: {
        workers: { where: { state: { not: 'gone' } }, orderBy: { startedAt: 'asc' } },
        conditions: { orderBy: { since: 'asc' } },
      },
    });
    const loads = await this.prisma.run.groupBy({
      by: ['fleetId', 'status'],
      where: { fleetId: { in: rows.map(({ id }) => id) }, status: { in: ['queued', 'running'] } },
      _count: { _all: true },
    });
    const load = (fleet: string, status: string) =>
      loads.find((one) => one.fleetId === fleet && one.status === status)?._count._all ?? 0;
    return rows.map((row) => fleetView(row, load(row.id, 'queued'), load(row.id, 'running')));
  }

  /** Why workers of a fleet came and went, the newest first. */
  async decisions(fleet: string, limit: number): Promise<FleetDecision[]> {
    const rows = await this.prisma.fleetDecision.findMany({
      where: { fleetId: fleet },
      orderBy: [{ at: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(({ at, action, reason, workers, error }) => ({
      at: at.toISOString(),
      action,
      reason,
      workers,
      error,
    }));
  }

  /**
   * Marks a worker as draining, whether it holds runs or not: it claims none from now on, and hears of it with its next renewal.
   * @returns whether there is such a worker
   */
  async drain(fleet: string, worker: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE worker SET drain_requested_at = coalesce(drain_requested_at, now()), state = 'draining'
       WHERE fleet_id = $1 AND id = $2 AND state <> 'gone'`,
      [fleet, worker],
    );
    return rowCount === 1;
  }
}

const fleetView = (
  row: Fleet & { workers: Worker[]; conditions: FleetCondition[] },
  waiting: number,
  running: number,
): FleetView => ({
  id: row.id,
  name: row.name,
  surface: row.surface as SurfaceKind,
  slots: row.slots,
  min: row.min,
  max: row.max,
  idle: row.idle,
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
    startedAt: worker.startedAt.toISOString(),
    lastSeenAt: worker.lastSeenAt.toISOString(),
  })),
  conditions: row.conditions.map(({ reason, message, count, since, lastSeenAt }) => ({
    reason: reason as ConditionReason,
    message,
    count,
    since: since.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  })),
});
