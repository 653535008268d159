import type { Page } from '@pilothouse/contract/api/query-params';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { ProjectSecretView } from '@pilothouse/contract/project/project-secret.schema';
import { toPage, decodeCursor } from '../client/cursor-pagination.ts';
import type { Pool } from '../client/pg-pool.ts';

/** A secret to store. */
export interface ProjectSecretWrite {
  readonly project: string;
  readonly name: string;
  readonly sealed: Buffer;
  /** Undefined: the previous one. */
  readonly description: string | undefined;
  /** Null: Pilothouse. */
  readonly actor: Actor | null;
}

/** Sealed values of a secret. */
export interface SealedSecret {
  readonly project: string;
  readonly name: string;
  readonly version: number;
  /** Empty: the secret is deleted. */
  readonly sealed: Buffer;
  /** Replaced values that open runs may have typed. */
  readonly former: readonly Buffer[];
}

interface Row extends Omit<ProjectSecretView, 'createdAt' | 'updatedAt' | 'lastUsedAt'> {
  createdAt: Date;
  updatedAt: Date;
  lastUsedAt: Date | null;
}

/** Replaced values of a secret that are masked in open runs. */
const MAX_FORMER_VALUES = 20;
/** Newest runs with secrets whose workflows are listed. */
const MAX_LISTED_RUNS = 1_000;

/**
 * SQL condition: the run `r` names this secret in one of its inputs. The database finds the runs of a project by an index, and
 * compares their names.
 */
const uses = (name: string) => `EXISTS (SELECT FROM jsonb_each_text(r.secret_references) e WHERE e.value = ${name})`;

/** Runs of the project ($1) that name secrets: those that have not ended, and the newest. */
const RUNS = `
WITH open_run AS MATERIALIZED (
  SELECT epoch, secret_references FROM run
  WHERE project_id = $1 AND status IN ('queued', 'running', 'awaiting_user') AND secret_references IS NOT NULL
), recent_run AS MATERIALIZED (
  SELECT workflow_name, secret_references FROM run WHERE project_id = $1 AND secret_references IS NOT NULL
  ORDER BY created_at DESC LIMIT ${MAX_LISTED_RUNS}
)`;

/** SQL condition: a started run that has not ended may show values of this secret. */
const isShown = (name: string) => `EXISTS (SELECT FROM open_run r WHERE r.epoch > 0 AND ${uses(name)})`;

/** Columns of the secret \`s\`, with its runs. */
const VIEW = `s.name, s.description, s.version, s.created_by AS "createdBy", s.updated_by AS "updatedBy",
  s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.last_used_at AS "lastUsedAt",
  (SELECT count(*)::int FROM open_run r WHERE ${uses('s.name')}) AS "openRuns",
  ARRAY(SELECT DISTINCT r.workflow_name FROM recent_run r WHERE ${uses('s.name')} ORDER BY r.workflow_name) AS workflows`;

const LIST = `${RUNS}
SELECT ${VIEW} FROM project_secret s
WHERE s.project_id = $1 AND s.sealed <> '' AND ($2::text IS NULL OR s.name > $2) ORDER BY s.name LIMIT $3`;

// A recovered run may show the value that an earlier attempt typed, so that value stays known until the run has ended.
const SAVE = `${RUNS}
INSERT INTO project_secret AS s (project_id, name, sealed, description, created_by, updated_by)
VALUES ($1, $2, $3, COALESCE($4, ''), $5, $5)
ON CONFLICT (project_id, name) DO UPDATE SET
  version = s.version + 1, sealed = excluded.sealed,
  description = COALESCE($4, CASE WHEN s.sealed = '' THEN '' ELSE s.description END),
  created_by = CASE WHEN s.sealed = '' THEN excluded.created_by ELSE s.created_by END,
  created_at = CASE WHEN s.sealed = '' THEN now() ELSE s.created_at END,
  last_used_at = CASE WHEN s.sealed = '' THEN NULL ELSE s.last_used_at END,
  updated_by = excluded.updated_by, updated_at = now(),
  former = CASE
    WHEN NOT ${isShown('$2')} THEN '{}'
    WHEN s.sealed = '' THEN s.former
    ELSE (array_prepend(s.sealed, s.former))[1:${MAX_FORMER_VALUES}] END
RETURNING ${VIEW}`;

// The row of a deleted secret stays, with an empty value, while a started run may show its values: they stay known if it is created again.
const DELETE = `${RUNS}, kept AS (
  UPDATE project_secret s SET sealed = '', former = (array_prepend(s.sealed, s.former))[1:${MAX_FORMER_VALUES}]
  WHERE s.project_id = $1 AND s.name = $2 AND s.sealed <> '' AND ${isShown('$2')} RETURNING ${VIEW}
), deleted AS (
  DELETE FROM project_secret s
  WHERE s.project_id = $1 AND s.name = $2 AND s.sealed <> '' AND NOT ${isShown('$2')} RETURNING ${VIEW}
)
SELECT * FROM kept UNION ALL SELECT * FROM deleted`;

const DELETE_UNUSED = `
DELETE FROM project_secret s WHERE s.sealed = '' AND NOT EXISTS (
  SELECT FROM run r WHERE r.project_id = s.project_id AND r.status IN ('queued', 'running', 'awaiting_user')
    AND r.secret_references IS NOT NULL AND r.epoch > 0 AND ${uses('s.name')}
)`;

const READ = `
WITH used AS (
  UPDATE project_secret SET last_used_at = now()
  WHERE project_id = $1 AND name = $2 AND sealed <> '' AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT project_id AS project, name, version, sealed, former FROM project_secret
WHERE project_id = $1 AND name = $2 AND sealed <> ''`;

/** Secrets of projects. Values are sealed. */
export class ProjectSecretStore {
  constructor(private readonly pool: Pool) {}

  /** Secrets of a project, by name. */
  async list(project: string, limit: number, cursor?: string): Promise<Page<ProjectSecretView>> {
    const lastName = decodeCursor(cursor, ([name]) => (typeof name === 'string' ? name : null));
    const { rows } = await this.pool.query<Row>(LIST, [project, lastName, limit + 1]);
    return toPage(rows, limit, viewOf, ({ name }) => [name]);
  }

  /** Names of all secrets of a project. */
  async names(project: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(
      'SELECT name FROM project_secret WHERE project_id = $1 AND length(sealed) > 0 ORDER BY name',
      [project],
    );
    return rows.map(({ name }) => name);
  }

  /** Creates the secret, or replaces its value. */
  async save({ project, name, sealed, description, actor }: ProjectSecretWrite): Promise<ProjectSecretView> {
    const values = [project, name, sealed, description ?? null, actor && JSON.stringify(actor)];
    const { rows } = await this.pool.query<Row>(SAVE, values);
    return viewOf(rows[0] as Row);
  }

  /** @returns the deleted secret; null: none */
  async delete(project: string, name: string): Promise<ProjectSecretView | null> {
    const { rows } = await this.pool.query<Row>(DELETE, [project, name]);
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** Sealed values for a worker; marks the secret as used. Null: the project has none of this name. */
  async use(project: string, name: string): Promise<SealedSecret | null> {
    const { rows } = await this.pool.query<SealedSecret>({
      name: 'use-secret',
      text: READ,
      values: [project, name],
    });
    return rows[0] ?? null;
  }

  /** Deletes the values of deleted secrets that no started run can show any more. */
  async deleteUnused(): Promise<void> {
    await this.pool.query(DELETE_UNUSED);
  }

  /** Sealed values of all projects, for a new master key; also those of deleted secrets. */
  async listSealed(): Promise<SealedSecret[]> {
    const { rows } = await this.pool.query<SealedSecret>(
      'SELECT project_id AS project, name, version, sealed, former FROM project_secret ORDER BY project_id, name',
    );
    return rows;
  }

  /** Stores the same values, sealed again. @returns false when the value was replaced or deleted meanwhile */
  async reseal({ project, name, version, sealed, former }: SealedSecret): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE project_secret SET sealed = $4, former = $5
       WHERE project_id = $1 AND name = $2 AND version = $3 AND (sealed = '') = ($4::bytea = '')`,
      [project, name, version, sealed, former],
    );
    return rowCount === 1;
  }
}

const viewOf = ({ createdAt, updatedAt, lastUsedAt, ...row }: Row): ProjectSecretView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
