import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  ArmStats,
  RegisteredModel,
  RegisterModel,
  RegistryStage,
  RegistryTransition,
  ShadowStats,
} from '@pilothouse/contract/learning/registry.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { wilsonInterval, type SuccessCount } from '@pilothouse/core/evaluation/confidence-interval';
import { ROLLBACK_RUNS } from '@pilothouse/core/learning/registry/rollback-decision';
import { decodeCursor, toPage } from '../client/cursor-pagination.ts';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { readShadowStats } from './registry-shadow.store.ts';

/** Transitions of a model that a view shows. */
const SHOWN_TRANSITIONS = 20;

/** Runs without a model that are compared with it. */
const MAX_BASE_RUNS = 200;

interface Row extends Omit<
  RegisteredModel,
  'role' | 'surface' | 'stageChangedAt' | 'createdAt' | 'runs' | 'shadow' | 'transitions'
> {
  readonly role: string;
  readonly surface: string;
  readonly stageChangedAt: Date;
  readonly createdAt: Date;
  readonly baseline: SuccessCount | null;
  readonly transitions: readonly (Omit<RegistryTransition, 'at'> & { readonly at: string })[];
}

const COLUMNS = `m.id, m.name, m.model, m.base, m.role, m.surface, m.dialect, m.region, m.description, m.dataset_id AS dataset, m.job_id AS job,
  m.metrics, m.stage, m.canary_percent AS "canaryPercent", m.shadow_percent AS "shadowPercent", m.baseline, m.stage_changed_at AS "stageChangedAt", m.created_by AS "createdBy",
  m.created_at AS "createdAt",
  COALESCE((SELECT json_agg(json_build_object('from', t.from_stage, 'to', t.to_stage, 'canaryPercent', t.canary_percent, 'shadowPercent', t.shadow_percent, 'reason', t.reason,
      'by', t.actor, 'at', to_char(t.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY t.id DESC)
    FROM (SELECT * FROM registry_transition WHERE model_id = m.id ORDER BY id DESC LIMIT ${SHOWN_TRANSITIONS}) t), '[]') AS transitions`;

const LIST = `SELECT ${COLUMNS} FROM registry_model m
  WHERE m.project_id = $1 AND ($2::text IS NULL OR m.stage = $2) AND ($3::text IS NULL OR m.name > $3) ORDER BY m.name LIMIT $4`;

const READ = `SELECT ${COLUMNS} FROM registry_model m WHERE m.project_id = $1 AND m.name = $2`;

const REGISTER = `INSERT INTO registry_model (id, project_id, name, model, base, role, surface, dialect, region, description, dataset_id, job_id, metrics, created_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (project_id, name) DO NOTHING`;

// The lock orders transitions of a role and surface: only one model of them is active, one a canary, and one a shadow.
const LOCK = `SELECT m.id, m.name, m.stage, m.role, m.surface FROM registry_model m
  WHERE m.project_id = $1 AND (m.role, m.surface) = (SELECT role, surface FROM registry_model WHERE project_id = $1 AND name = $2)
  ORDER BY m.id FOR UPDATE`;

const TRANSITION = `WITH before AS (SELECT id, stage FROM registry_model WHERE id = $1),
  changed AS (
    UPDATE registry_model m SET stage = $2, canary_percent = $3, shadow_percent = $7, stage_changed_at = now(), baseline = $6
    FROM before b WHERE m.id = b.id
  )
  INSERT INTO registry_transition (model_id, from_stage, to_stage, canary_percent, reason, actor, shadow_percent) SELECT id, stage, $2, $3, $4, $5, $7 FROM before`;

const CANDIDATE_RUNS = `SELECT count(*) FILTER (WHERE status = 'completed')::int AS successes, count(*)::int AS trials FROM (
    SELECT r.status FROM registry_run a JOIN run r ON r.id = a.run_id
    WHERE a.model_id = $1 AND a.arm = 'candidate' AND a.added_at >= $2 AND r.status IN ('completed', 'failed')
    ORDER BY a.added_at DESC LIMIT ${ROLLBACK_RUNS}
  ) last`;

const BASE_RUNS = `SELECT count(*) FILTER (WHERE status = 'completed')::int AS successes, count(*)::int AS trials FROM (
    SELECT r.status FROM registry_run a JOIN run r ON r.id = a.run_id
    WHERE a.model_id = $1 AND a.arm = 'base' AND r.status IN ('completed', 'failed') ORDER BY a.added_at DESC LIMIT ${MAX_BASE_RUNS}
  ) last`;

const EARLIER_RUNS = `SELECT count(*) FILTER (WHERE status = 'completed')::int AS successes, count(*)::int AS trials FROM (
    SELECT r.status FROM run r
    WHERE r.project_id = $1 AND r.status IN ('completed', 'failed') AND r.used_calls > 0 AND r.created_at < $2 AND r.finished_at < $2 AND ($3 = '' OR r.surface = $3)
    ORDER BY r.created_at DESC LIMIT ${MAX_BASE_RUNS}
  ) last`;

/** A change of the stage of a model. */
export interface StageChange {
  readonly to: RegistryStage;
  /** With `canary`: share of the runs in percent. */
  readonly canaryPercent?: number;
  /** With `shadow`: share of the calls in percent. */
  readonly shadowPercent?: number;
  readonly reason: string | null;
  /** null: Pilothouse. */
  readonly actor: Actor | null;
}

/** A model that runs use, with its success. */
export interface UsedModel {
  readonly project: string;
  readonly name: string;
  readonly stage: RegistryStage;
  readonly candidate: SuccessCount;
  readonly base: SuccessCount;
}

const toArmStats = ({ successes, trials }: SuccessCount): ArmStats => ({
  successes,
  trials,
  ...wilsonInterval(successes, trials),
});

/** Stages from which a model may change to a stage. */
const allowedStages: Readonly<Record<RegistryStage, readonly RegistryStage[]>> = {
  registered: [],
  shadow: ['registered', 'shadow', 'rolled_back', 'retired'],
  canary: ['registered', 'shadow', 'canary', 'rolled_back', 'retired'],
  active: ['registered', 'shadow', 'canary', 'rolled_back', 'retired'],
  rolled_back: ['shadow', 'canary', 'active'],
  retired: ['active', 'canary'],
};

/** Models of the registry, their stages, and the success of their runs. */
export class RegistryStore {
  private readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /**
   * Lists models. Only those in the stage `shadow` have statistics of their shadow calls.
   * @throws PilothouseError VALIDATION_FAILED for an unknown cursor
   */
  async list(
    project: string,
    { limit, cursor, stage }: { limit: number; cursor?: string | undefined; stage?: RegistryStage | undefined },
  ): Promise<Page<RegisteredModel>> {
    const lastName = decodeCursor(cursor, ([name]) => (typeof name === 'string' ? name : null));
    const { rows } = await this.pool.query<Row>(LIST, [project, stage ?? null, lastName, limit + 1]);
    const page = toPage(
      rows,
      limit,
      (row) => row,
      ({ name }) => [name],
    );
    const shadowIds = page.items.filter((row) => row.stage === 'shadow').map(({ id }) => id);
    const shadow = await readShadowStats(this.pool, shadowIds);
    const toView = (row: Row) => this.toView(project, row, shadow.get(row.id) ?? null);
    return { ...page, items: await Promise.all(page.items.map(toView)) };
  }

  /** @returns null if there is no such model */
  async read(project: string, name: string): Promise<RegisteredModel | null> {
    const { rows } = await this.pool.query<Row>(READ, [project, name]);
    const [row] = rows;
    if (!row) return null;
    const shadow = await readShadowStats(this.pool, [row.id]);
    return this.toView(project, row, shadow.get(row.id) ?? null);
  }

  async exists(project: string, name: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM registry_model WHERE project_id = $1 AND name = $2', [
      project,
      name,
    ]);
    return rowCount === 1;
  }

  /** @returns false if the name is taken */
  async register(id: string, project: string, model: RegisterModel, createdBy: Actor | null): Promise<boolean> {
    const { name, base, role, surface, dialect, region, description, dataset, job, metrics } = model;
    const { rowCount } = await this.pool.query(REGISTER, [
      ...[id, project, name, model.model, base ?? null, role ?? '', surface ?? '', dialect ?? null, region ?? null],
      ...[description ?? null, dataset ?? null, job ?? null, JSON.stringify(metrics)],
      createdBy && JSON.stringify(createdBy),
    ]);
    return rowCount === 1;
  }

  /**
   * Changes the stage. A new active model retires the one before.
   * @param expected the stage must be one of these (default: all from which the change is possible)
   * @returns the model after the change; null if there is no such model
   * @throws PilothouseError CONFLICT if the stage does not allow the change, or another model of the role and surface is in the stage `shadow` or `canary`
   */
  async change(
    project: string,
    name: string,
    change: StageChange,
    expected: readonly RegistryStage[] = allowedStages[change.to],
  ): Promise<RegisteredModel | null> {
    const hasChanged = await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ id: string; name: string; stage: RegistryStage }>(LOCK, [project, name]);
      const model = rows.find((row) => row.name === name);
      if (!model) return false;
      if (!expected.includes(model.stage))
        throw new PilothouseError(
          'CONFLICT',
          `The model ${name} is ${model.stage}. Only a model that is ${expected.join(' or ')} can become ${change.to}.`,
        );
      const others = rows.filter((row) => row.name !== name && row.stage === change.to);
      const [otherModel] = others;
      if (otherModel && (change.to === 'canary' || change.to === 'shadow'))
        throw new PilothouseError(
          'CONFLICT',
          `The model ${otherModel.name} is the ${change.to} of this role and surface. Roll it back first.`,
        );
      if (otherModel && change.to === 'active')
        await transition(
          client,
          otherModel.id,
          { to: 'retired', reason: `Replaced by ${name}`, actor: change.actor },
          null,
        );
      const baseline = change.to === 'active' ? await count(client, BASE_RUNS, [model.id]) : null;
      await transition(client, model.id, change, baseline && baseline.trials > 0 ? baseline : null);
      return true;
    });
    return hasChanged ? this.read(project, name) : null;
  }

  /** @returns the deleted model; null if there is none @throws PilothouseError CONFLICT if runs use it */
  async delete(project: string, name: string): Promise<RegisteredModel | null> {
    const model = await this.read(project, name);
    if (!model) return null;
    const { rowCount } = await this.pool.query(
      `DELETE FROM registry_model WHERE project_id = $1 AND name = $2 AND stage NOT IN ('shadow', 'canary', 'active')`,
      [project, name],
    );
    if (rowCount === 1) return model;
    throw new PilothouseError('CONFLICT', `The model ${name} is used by runs. Roll it back first.`);
  }

  /** Records that a run belongs to an arm of a model. The first record stays. */
  async addRun(model: string, run: string, arm: 'candidate' | 'base'): Promise<void> {
    await this.pool.query(
      `INSERT INTO registry_run (model_id, run_id, arm) SELECT $1, $2, $3
       WHERE EXISTS (SELECT FROM registry_model WHERE id = $1) ON CONFLICT DO NOTHING`,
      [model, run, arm],
    );
  }

  /** The models in the stages `canary` and `active` that a run used, or is compared with. */
  async listUsed(run: string): Promise<UsedModel[]> {
    const { rows } = await this.pool.query<Row & { project: string }>(
      `SELECT ${COLUMNS}, m.project_id AS project FROM registry_model m JOIN registry_run a ON a.model_id = m.id
       WHERE a.run_id = $1 AND m.stage IN ('canary', 'active')`,
      [run],
    );
    return Promise.all(
      rows.map(async (row) => {
        const { project, name, stage } = row;
        return { project, name, stage, ...(await this.armsOf(project, row)) };
      }),
    );
  }

  /** Success with and without the model. Earlier runs of the project count if too few runs were without it. */
  private async armsOf(project: string, { id, stage, surface, baseline, stageChangedAt }: Row) {
    const [candidate, duringCanary] = await Promise.all([
      count(this.pool, CANDIDATE_RUNS, [id, stageChangedAt]),
      stage === 'canary' ? count(this.pool, BASE_RUNS, [id]) : baseline,
    ]);
    const hasEnough = duringCanary !== null && duringCanary.trials >= ROLLBACK_RUNS;
    const base = hasEnough ? duringCanary : await count(this.pool, EARLIER_RUNS, [project, stageChangedAt, surface]);
    return { candidate, base: base.trials >= (duringCanary?.trials ?? 0) ? base : (duringCanary ?? base) };
  }

  private async toView(project: string, row: Row, shadow: ShadowStats | null): Promise<RegisteredModel> {
    const { baseline, role, surface, stageChangedAt, createdAt, transitions, ...facts } = row;
    const isUsed = row.stage === 'canary' || row.stage === 'active';
    const arms = isUsed ? await this.armsOf(project, row) : null;
    return {
      ...facts,
      role: (role || null) as RegisteredModel['role'],
      surface: (surface || null) as RegisteredModel['surface'],
      stageChangedAt: stageChangedAt.toISOString(),
      createdAt: createdAt.toISOString(),
      runs: arms && { candidate: toArmStats(arms.candidate), base: toArmStats(arms.base) },
      shadow,
      transitions: [...transitions],
    };
  }
}

async function count(pool: Pick<Pool, 'query'> | PoolClient, sql: string, values: unknown[]): Promise<SuccessCount> {
  const { rows } = await pool.query<{ successes: number; trials: number }>(sql, values);
  return rows[0] ?? { successes: 0, trials: 0 };
}

async function transition(
  client: PoolClient,
  id: string,
  { to, canaryPercent, shadowPercent, reason, actor }: StageChange,
  baseline: SuccessCount | null,
): Promise<void> {
  const json = (value: Json | Actor | SuccessCount | null) => value && JSON.stringify(value);
  await client.query(TRANSITION, [
    id,
    to,
    canaryPercent ?? null,
    reason,
    json(actor),
    json(baseline),
    shadowPercent ?? null,
  ]);
}

/**
 * Records the result of an evaluation at an entry, in a transaction of `inJobTransaction`.
 * @param model name in the registry; another name changes nothing
 */
export async function saveModelMetric(
  client: PoolClient,
  project: string,
  model: string,
  { name, value }: { readonly name: string; readonly value: Json },
): Promise<void> {
  await client.query(
    `UPDATE registry_model SET metrics = metrics || jsonb_build_object($3::text, $4::jsonb) WHERE project_id = $1 AND name = $2`,
    [project, model, name, JSON.stringify(value)],
  );
}
