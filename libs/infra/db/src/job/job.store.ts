import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { JobProgress, Job, JobKind, JobStatus } from '@pilothouse/contract/job/job.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { decodeCursor, parseInstantCursor, toPage } from '../client/cursor-pagination.ts';
import type { Pool, PoolClient } from '../client/pg-pool.ts';

/** A job to be created. */
export interface NewJob {
  readonly id: string;
  readonly project: string;
  readonly kind: JobKind;
  readonly params: Json;
  /** Of several jobs of a project and kind with this key, only the first is created. */
  readonly dedupeKey?: string;
  /** Limit for model calls in US dollars; left out: none. */
  readonly budgetUsd?: number;
  /** Left out: Pilothouse. */
  readonly createdBy?: Actor;
}

/** Filter of the list of jobs. */
export interface JobQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly kind?: readonly JobKind[] | undefined;
  readonly status?: readonly JobStatus[] | undefined;
}

interface Row {
  id: string;
  kind: JobKind;
  status: JobStatus;
  params: Json;
  progress: JobProgress | null;
  result: Json;
  error: ErrorView | null;
  attempts: number;
  runAt: Date;
  isCancelRequested: boolean;
  budgetUsd: number | null;
  usedUsd: number;
  usedTokens: number;
  createdBy: Actor | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const COLUMNS = `id, kind, status, params, progress, result, error, attempts, run_at AS "runAt", cancel_requested_at IS NOT NULL AS "isCancelRequested",
  budget_usd AS "budgetUsd", used_usd AS "usedUsd", used_tokens AS "usedTokens", created_by AS "createdBy", created_at AS "createdAt",
  started_at AS "startedAt", finished_at AS "finishedAt"`;

const INSERT = `
INSERT INTO job (id, project_id, kind, dedupe_key, params, budget_usd, created_by)
VALUES ($1, $2, $3, $4, $5::json, $6, $7::jsonb) ON CONFLICT (project_id, kind, dedupe_key) DO NOTHING RETURNING id`;

/**
 * Creates a job, or finds the one with the same key. It may be called in the transaction of the change that causes the job.
 * @returns id of the job, and whether it is new
 */
export async function insertJob(client: Pool | PoolClient, job: NewJob): Promise<{ id: string; isNew: boolean }> {
  const { id, project, kind, params, dedupeKey = null, budgetUsd = null, createdBy } = job;
  const actor = createdBy ? JSON.stringify(createdBy) : null;
  for (;;) {
    const values = [id, project, kind, dedupeKey, JSON.stringify(params), budgetUsd, actor];
    const { rowCount } = await client.query({ name: 'insert-job', text: INSERT, values });
    if (rowCount === 1) return { id, isNew: true };
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM job WHERE project_id = $1 AND kind = $2 AND dedupe_key = $3',
      [project, kind, dedupeKey],
    );
    // Deleted between the statements: insert it again.
    if (rows[0]) return { id: rows[0].id, isNew: false };
  }
}

/** Jobs that one statement deletes. */
const PURGE_BATCH = 1_000;

/* A dataset, an export and a registered model show their job. A tuning job is part of the history of models. */
const PURGE = `
DELETE FROM job WHERE id IN (
  SELECT j.id FROM job j
  WHERE j.finished_at < now() - $1 * interval '1 day' AND j.kind <> 'tune'
    AND NOT EXISTS (SELECT FROM dataset d WHERE d.job_id = j.id)
    AND NOT EXISTS (SELECT FROM dataset_export e WHERE e.job_id = j.id)
    AND NOT EXISTS (SELECT FROM registry_model m WHERE m.job_id = j.id)
  ORDER BY j.finished_at LIMIT ${PURGE_BATCH})`;

/**
 * SQL condition: a job can end as soon as its cancellation is requested. A tuning job that was claimed once may run at its tuner, which only an
 * attempt can cancel. `attempts` is no proof, because a job that is handed back counts one less.
 */
export const CANCELS_AT_ONCE = `NOT (kind = 'tune' AND epoch > 0)`;

/** Background jobs of projects, as clients see and change them. `JobLeases` has the part of the job runner. */
export class JobStore {
  constructor(private readonly pool: Pool) {}

  /** @see insertJob */
  insert(job: NewJob): Promise<{ id: string; isNew: boolean }> {
    return insertJob(this.pool, job);
  }

  async read(project: string, id: string): Promise<Job | null> {
    const { rows } = await this.pool.query<Row>(`SELECT ${COLUMNS} FROM job WHERE project_id = $1 AND id = $2`, [
      project,
      id,
    ]);
    return rows[0] ? viewOf(rows[0]) : null;
  }

  /** Lists the jobs of a project, newest first. */
  async list(project: string, { limit, cursor, kind, status }: JobQuery): Promise<Page<Job>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const { rows } = await this.pool.query<Row>(
      `SELECT ${COLUMNS} FROM job
       WHERE project_id = $1 AND ($2::text[] IS NULL OR kind = ANY ($2)) AND ($3::text[] IS NULL OR status = ANY ($3))
         AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
       ORDER BY created_at DESC, id DESC LIMIT $6`,
      [project, kind ?? null, status ?? null, position?.instant ?? null, position?.id ?? null, limit + 1],
    );
    return toPage(rows, limit, viewOf, (row) => [row.createdAt.getTime(), row.id]);
  }

  /**
   * Cancels a queued job, and requests the end of a running one. A tuning job that was claimed once stays queued until an attempt has cancelled it at the tuner.
   * @returns false when the job does not exist or has ended
   */
  async cancel(project: string, id: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE job SET cancel_requested_at = coalesce(cancel_requested_at, now()),
         status = CASE WHEN status = 'queued' AND ${CANCELS_AT_ONCE} THEN 'cancelled' ELSE status END,
         finished_at = CASE WHEN status = 'queued' AND ${CANCELS_AT_ONCE} THEN now() END,
         run_at = now()
       WHERE project_id = $1 AND id = $2 AND status IN ('queued', 'running')`,
      [project, id],
    );
    return rowCount === 1;
  }

  /**
   * Queues a failed or cancelled job again. It continues from its checkpoint; its usage still counts.
   * @param budgetUsd new limit; left out: the old one
   * @returns false when the job does not exist or is in another status
   */
  async retry(project: string, id: string, budgetUsd?: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE job SET status = 'queued', attempts = 0, run_at = now(), error = NULL, cancel_requested_at = NULL, finished_at = NULL,
         budget_usd = coalesce($3, budget_usd)
       WHERE project_id = $1 AND id = $2 AND status IN ('failed', 'cancelled')`,
      [project, id, budgetUsd ?? null],
    );
    return rowCount === 1;
  }

  /**
   * Deletes jobs that ended more than the given number of days ago. Tuning jobs, and jobs of existing datasets, exports and models, remain.
   * @returns their number
   */
  async purge(days: number): Promise<number> {
    let deleted = 0;
    for (;;) {
      const { rowCount } = await this.pool.query(PURGE, [days]);
      deleted += rowCount ?? 0;
      if ((rowCount ?? 0) < PURGE_BATCH) return deleted;
    }
  }
}

function viewOf({ createdAt, startedAt, finishedAt, runAt, ...row }: Row): Job {
  return {
    ...row,
    runAt: runAt.toISOString(),
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
