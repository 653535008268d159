import type { Actor } from '@pilothouse/contract/api/audit.routes';
import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { TERMINAL_STATUSES_SQL } from '../retention/retention-queries.ts';
import { insertLearningJob, LearningJobStore } from './learning-job.store.ts';
import { traceConditions } from './trace-filter.sql.ts';

/** Runs and traces that are processed in one transaction. */
const BATCH = 100;

/** Traces of one request to score again. */
export const MAX_SCORE_REQUESTS = 1000;

/** A request to score traces again. */
export interface RescoreRequest {
  readonly filter: TraceFilter;
  readonly version: string;
  readonly budgetUsd?: number | undefined;
  readonly createdBy: Actor;
}

/** Requests scoring: one job for each finished run with recorded turns, and more by request. */
export class ScoreRequestStore {
  constructor(
    private readonly pool: Pool,
    private readonly newId: () => string,
  ) {}

  /**
   * Creates traces and jobs for finished runs with recorded turns. Several replicas may do so at a time.
   * @param signal ends the request between two batches; a later request continues
   * @returns ids of the new jobs
   */
  async requestScores(version: string, signal: AbortSignal): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      if (signal.aborted) return ids;
      const { runs, jobs } = await inTransaction(this.pool, (client) => this.requestBatch(client, version));
      ids.push(...jobs);
      if (runs < BATCH) return ids;
    }
  }

  private async requestBatch(client: PoolClient, version: string): Promise<{ runs: number; jobs: string[] }> {
    const { rows } = await client.query<{ run: string; project: string | null }>({
      name: 'finished-recorded-runs',
      text: `SELECT rr.run_id AS run, r.project_id AS project FROM recorded_run rr LEFT JOIN run r ON r.id = rr.run_id
        WHERE r.id IS NULL OR r.status IN ${TERMINAL_STATUSES_SQL} ORDER BY rr.run_id LIMIT ${BATCH} FOR UPDATE OF rr SKIP LOCKED`,
    });
    const runs = rows.map(({ run }) => run);
    if (runs.length === 0) return { runs: 0, jobs: [] };
    const created = await client.query<{ run: string; project: string }>(
      `INSERT INTO trace (run_id, project_id, workflow_id, workflow_version, workflow_name, surface, status, created_at)
       SELECT id, project_id, workflow_id, workflow_version, workflow_name, surface, status, created_at FROM run
       WHERE id = ANY ($1::uuid[]) ON CONFLICT (run_id) DO NOTHING RETURNING run_id AS run, project_id AS project`,
      [runs],
    );
    const jobs: string[] = [];
    for (const { run, project } of created.rows) {
      const { id } = await insertLearningJob(client, {
        ...{ id: this.newId(), project, kind: 'score', params: { run } },
        dedupeKey: `${run}:${version}`,
      });
      jobs.push(id);
    }
    await client.query('DELETE FROM recorded_run WHERE run_id = ANY ($1::uuid[])', [runs]);
    return { runs: runs.length, jobs };
  }

  /**
   * Requests a score of each matching trace whose score is incomplete or of another version. A failed job starts again, and a trace whose job
   * has not ended gets no second one.
   */
  async rescore(
    project: string,
    { filter, version, budgetUsd, createdBy }: RescoreRequest,
  ): Promise<{ jobs: string[]; isComplete: boolean }> {
    const { sql, values } = traceConditions(project, filter);
    const versionParameter = `$${values.length + 1}`;
    const { rows } = await this.pool.query<{ run: string; key: string }>(
      `SELECT t.run_id AS run, k.repeated AS key
       FROM trace t, LATERAL (SELECT t.run_id || ':' || ${versionParameter}::text AS first) f,
         LATERAL (SELECT f.first || ':' || coalesce((extract(epoch FROM t.scored_at) * 1000)::bigint, 0) AS repeated) k
       WHERE ${sql} AND (t.score_version IS DISTINCT FROM ${versionParameter} OR t.note IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM learning_job j WHERE j.project_id = t.project_id AND j.kind = 'score'
           AND j.dedupe_key IN (f.first, k.repeated) AND j.status IN ('queued', 'running'))
       ORDER BY t.created_at DESC, t.run_id DESC LIMIT ${MAX_SCORE_REQUESTS + 1}`,
      [...values, version],
    );
    const store = new LearningJobStore(this.pool);
    const jobs: string[] = [];
    for (const { run, key } of rows.slice(0, MAX_SCORE_REQUESTS)) {
      // The key names the last score: a repeated request creates no second job.
      const { id, isNew } = await store.insert({
        ...{ id: this.newId(), project, kind: 'score', params: { run }, dedupeKey: key, createdBy },
        ...(budgetUsd !== undefined && { budgetUsd }),
      });
      if (isNew || (await store.retry(project, id, budgetUsd))) jobs.push(id);
    }
    return { jobs, isComplete: rows.length <= MAX_SCORE_REQUESTS };
  }
}
