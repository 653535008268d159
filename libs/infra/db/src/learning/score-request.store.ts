import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { inTransaction, type Pool } from '../client/pg-pool.ts';
import { insertJob, JobStore } from '../job/job.store.ts';
import { traceConditions } from './trace-filter.sql.ts';

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
   * Creates the trace of a finished run, and the job that scores it.
   * @returns id of the new job; null if the run has a trace, or is deleted
   */
  requestScore(run: string, version: string): Promise<string | null> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ project: string }>(
        `INSERT INTO trace (run_id, project_id, workflow_id, workflow_version, workflow_name, surface, status, created_at)
         SELECT id, project_id, workflow_id, workflow_version, workflow_name, surface, status, created_at FROM run
         WHERE id = $1 ON CONFLICT (run_id) DO NOTHING RETURNING project_id AS project`,
        [run],
      );
      const [trace] = rows;
      if (!trace) return null;
      const { id } = await insertJob(client, {
        ...{ id: this.newId(), project: trace.project, kind: 'score', params: { run } },
        dedupeKey: `${run}:${version}`,
      });
      return id;
    });
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
         AND NOT EXISTS (SELECT 1 FROM job j WHERE j.project_id = t.project_id AND j.kind = 'score'
           AND j.dedupe_key IN (f.first, k.repeated) AND j.status IN ('queued', 'running'))
       ORDER BY t.created_at DESC, t.run_id DESC LIMIT ${MAX_SCORE_REQUESTS + 1}`,
      [...values, version],
    );
    const store = new JobStore(this.pool);
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
