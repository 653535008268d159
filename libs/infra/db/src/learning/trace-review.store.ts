import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { AcceptedTraceLabels, TraceCounts, TraceStats } from '@pilothouse/contract/api/traces.routes';
import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { inTransaction, type Pool } from '../client/pg-pool.ts';
import { traceConditions } from './trace-filter.sql.ts';
import { labeledByPersonSql, summarizeTraces } from './trace-score.store.ts';

/** Traces whose labels are accepted by one request. */
export const MAX_ACCEPTED_TRACES = 1000;

/** Labels that are compared between reviewers. */
const MAX_COMPARED_LABELS = 100_000;

/** Rows of the statistics by workflow and by model. */
const MAX_GROUPS = 50;

/** Acceptance of labels by a person. */
export interface NewAcceptance {
  readonly filter: TraceFilter;
  readonly reason: string;
  readonly createdBy: Actor;
  /** true: only counts. */
  readonly dryRun: boolean;
}

/** The last label of a reviewer for a step. */
export interface ReviewerLabelRow {
  readonly item: string;
  readonly reviewer: string;
  readonly label: string;
}

/** A step that an acceptance labels: it is decided, and no person has labeled it. */
const ACCEPTABLE_STEP_SQL = `s.quality <> 'unknown' AND NOT ${labeledByPersonSql('s.run_id', 's.ordinal')}`;

const COUNTS = `count(*)::int AS traces, coalesce(sum(t.good_count), 0)::int AS good, coalesce(sum(t.bad_count), 0)::int AS bad,
  coalesce(sum(t.unknown_count), 0)::int AS unknown, (count(*) FILTER (WHERE t.needs_review))::int AS "needsReview"`;

/** Labels of many traces: acceptance and statistics. */
export class TraceReviewStore {
  constructor(
    private readonly pool: Pool,
    private readonly newId: () => string,
  ) {}

  /** Labels decided steps with their present quality. Steps with a label of a person are skipped. */
  accept(project: string, { filter, reason, createdBy, dryRun }: NewAcceptance): Promise<AcceptedTraceLabels> {
    const { sql, values } = traceConditions(project, filter);
    return inTransaction(this.pool, async (client) => {
      const { rows: traces } = await client.query<{ run: string }>(
        `SELECT t.run_id AS run FROM trace t
         WHERE ${sql} AND EXISTS (SELECT 1 FROM trace_step s WHERE s.run_id = t.run_id AND ${ACCEPTABLE_STEP_SQL})
         ORDER BY t.created_at, t.run_id LIMIT ${MAX_ACCEPTED_TRACES + 1} ${dryRun ? '' : 'FOR UPDATE OF t'}`,
        [...values],
      );
      const runs = traces.slice(0, MAX_ACCEPTED_TRACES).map(({ run }) => run);
      const { rows: steps } = await client.query<{ run: string; ordinal: number }>(
        `SELECT s.run_id AS run, s.ordinal FROM trace_step s WHERE s.run_id = ANY ($1::uuid[]) AND ${ACCEPTABLE_STEP_SQL}`,
        [runs],
      );
      const accepted = { traces: runs.length, steps: steps.length, isComplete: traces.length <= MAX_ACCEPTED_TRACES };
      if (dryRun) return accepted;
      const labels = JSON.stringify(steps.map((step) => ({ ...step, id: this.newId() })));
      await client.query(
        `INSERT INTO trace_label (id, run_id, ordinal, quality, reason, corrected_thought, corrected_actions, source, created_by)
         SELECT n.id, n.run, n.ordinal, s.quality, $2, s.corrected_thought, s.corrected_actions, 'person', $3
         FROM json_to_recordset($1::json) AS n(id uuid, run uuid, ordinal int) JOIN trace_step s ON s.run_id = n.run AND s.ordinal = n.ordinal`,
        [labels, reason, JSON.stringify(createdBy)],
      );
      await client.query(
        `UPDATE trace_step s SET source = 'person', is_doubtful = false
         FROM json_to_recordset($1::json) AS n(run uuid, ordinal int) WHERE s.run_id = n.run AND s.ordinal = n.ordinal`,
        [labels],
      );
      await summarizeTraces(client, runs);
      return accepted;
    });
  }

  /** Counts scored traces and their steps. */
  async count(project: string, filter: TraceFilter): Promise<Omit<TraceStats, 'agreement'>> {
    const { sql, values } = traceConditions(project, filter);
    const group = async <Row extends TraceCounts>(column: string, name: string, order: string) =>
      (
        await this.pool.query<Row>(
          `SELECT ${column} AS "${name}", ${COUNTS} FROM trace t WHERE ${sql} AND t.scored_at IS NOT NULL GROUP BY 1 ORDER BY ${order}`,
          [...values],
        )
      ).rows;
    const largest = `traces DESC, 1 LIMIT ${MAX_GROUPS}`;
    const [total, days, workflows, models] = await Promise.all([
      this.pool.query<TraceCounts>(`SELECT ${COUNTS} FROM trace t WHERE ${sql} AND t.scored_at IS NOT NULL`, [
        ...values,
      ]),
      group<TraceStats['days'][number]>(`to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`, 'day', '1'),
      group<TraceStats['workflows'][number]>('t.workflow_name', 'workflow', largest),
      group<TraceStats['models'][number]>('t.model', 'model', largest),
    ]);
    const none = { traces: 0, good: 0, bad: 0, unknown: 0, needsReview: 0 };
    return { total: total.rows[0] ?? none, days, workflows, models };
  }

  /** The last label of each reviewer for each step that at least two reviewers labeled. */
  async reviewerLabels(project: string, filter: TraceFilter): Promise<ReviewerLabelRow[]> {
    const { sql, values } = traceConditions(project, filter);
    const { rows } = await this.pool.query<ReviewerLabelRow>(
      `SELECT item, reviewer, label FROM (
         SELECT item, reviewer, label, count(*) OVER (PARTITION BY item) AS reviewers FROM (
           SELECT DISTINCT ON (l.run_id, l.ordinal, l.created_by->>'id') l.run_id || ' ' || l.ordinal AS item,
             l.created_by->>'name' AS reviewer, l.quality AS label
           FROM trace_label l JOIN trace t ON t.run_id = l.run_id WHERE ${sql} AND l.version IS NULL
           ORDER BY l.run_id, l.ordinal, l.created_by->>'id', l.created_at DESC, l.id DESC
         ) latest
       ) counted WHERE reviewers > 1 ORDER BY item, reviewer LIMIT ${MAX_COMPARED_LABELS}`,
      [...values],
    );
    return rows;
  }
}
