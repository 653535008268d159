import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import type {
  Trace,
  TraceAssessment,
  TraceDetail,
  TraceFilter,
  TraceLabel,
  TraceStep,
} from '@pilothouse/contract/learning/trace.schema';
import { decodeCursor, parseInstantCursor, toPage } from '../client/cursor-pagination.ts';
import { inTransaction, type Pool } from '../client/pg-pool.ts';
import { traceConditions } from './trace-filter.sql.ts';
import { summarizeTraces } from './trace-score.store.ts';

/* Rows of traces, and the columns that select them. */

interface TraceRow extends Omit<Trace, 'createdAt' | 'scoredAt'> {
  createdAt: Date;
  scoredAt: Date | null;
}

interface TraceLabelRow extends Omit<TraceLabel, 'createdAt'> {
  createdAt: Date;
}

/** Columns of `trace t`. */
const TRACE_COLUMNS_SQL = `t.run_id AS run, t.project_id AS project, t.workflow_id AS workflow, t.workflow_version AS "workflowVersion",
  t.workflow_name AS "workflowName", t.surface, t.goal, t.model, t.status, t.quality, t.score_version AS "scoreVersion",
  t.step_count AS "stepCount", t.good_count AS "goodCount", t.bad_count AS "badCount", t.unknown_count AS "unknownCount",
  t.needs_review AS "needsReview", t.sites, t.is_pinned AS "isPinned", t.note, t.created_at AS "createdAt", t.scored_at AS "scoredAt"`;

const LABEL_COLUMNS_SQL = `quality, reason, corrected_thought AS "correctedThought", corrected_actions AS "correctedActions", source, version`;

/** Columns of `trace_step`. */
const TRACE_STEP_COLUMNS_SQL = `ordinal, step, turn, branch, record_id AS record, screenshot_id AS screenshot, thought, actions,
  ${LABEL_COLUMNS_SQL}, is_doubtful AS "isDoubtful", note`;

/** Columns of `trace_label`. */
const TRACE_LABEL_COLUMNS_SQL = `id, ordinal, ${LABEL_COLUMNS_SQL}, created_by AS "createdBy", created_at AS "createdAt"`;

const toTrace = ({ createdAt, scoredAt, ...row }: TraceRow): Trace => ({
  ...row,
  createdAt: createdAt.toISOString(),
  scoredAt: scoredAt?.toISOString() ?? null,
});

const toTraceLabel = ({ createdAt, ...row }: TraceLabelRow): TraceLabel => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

/** Filter and page of a list of traces. */
export interface ListTraces extends TraceFilter {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A label of a person. */
export interface NewTraceLabel extends TraceAssessment {
  readonly id: string;
  readonly run: string;
  readonly ordinal: number;
  readonly createdBy: Actor;
}

/** Finished runs as training material, and the labels of their steps. */
export class TraceStore {
  constructor(private readonly pool: Pool) {}

  /** Lists the traces of a project, newest run first. */
  async list(project: string, { limit, cursor, ...filter }: ListTraces): Promise<Page<Trace>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const { sql, values } = traceConditions(project, filter);
    const parameters = [...values, limit + 1, ...(position ? [position.instant, position.id] : [])];
    const next = (offset: number) => `$${values.length + offset}`;
    const { rows } = await this.pool.query<TraceRow>(
      `SELECT ${TRACE_COLUMNS_SQL} FROM trace t WHERE ${sql}
       ${position ? `AND (t.created_at, t.run_id) < (${next(2)}::timestamptz, ${next(3)}::uuid)` : ''}
       ORDER BY t.created_at DESC, t.run_id DESC LIMIT ${next(1)}`,
      parameters,
    );
    return toPage(rows, limit, toTrace, (row) => [row.createdAt.getTime(), row.run]);
  }

  /** Reads a trace with its steps and their labels; null if the project has no such trace. */
  async read(project: string, run: string): Promise<TraceDetail | null> {
    const { rows } = await this.pool.query<TraceRow>(
      `SELECT ${TRACE_COLUMNS_SQL} FROM trace t WHERE t.project_id = $1 AND t.run_id = $2`,
      [project, run],
    );
    if (!rows[0]) return null;
    const [steps, labels] = await Promise.all([
      this.pool.query<TraceStep>(
        `SELECT ${TRACE_STEP_COLUMNS_SQL} FROM trace_step WHERE run_id = $1 ORDER BY ordinal`,
        [run],
      ),
      this.pool.query<TraceLabelRow>(
        `SELECT ${TRACE_LABEL_COLUMNS_SQL} FROM trace_label WHERE run_id = $1 ORDER BY ordinal, created_at, id`,
        [run],
      ),
    ]);
    const byOrdinal = Map.groupBy(labels.rows.map(toTraceLabel), (label: TraceLabel) => label.ordinal);
    return {
      ...toTrace(rows[0]),
      steps: steps.rows.map((step) => ({ ...step, labels: byOrdinal.get(step.ordinal) ?? [] })),
    };
  }

  /** Adds a label of a person and puts it into effect. @returns false if the project has no such step */
  label(project: string, label: NewTraceLabel): Promise<boolean> {
    const { id, run, ordinal, quality, reason, correctedThought, correctedActions, createdBy } = label;
    const actions = correctedActions && JSON.stringify(correctedActions);
    return inTransaction(this.pool, async (client) => {
      const trace = await client.query('SELECT 1 FROM trace WHERE run_id = $1 AND project_id = $2 FOR UPDATE', [
        run,
        project,
      ]);
      if (trace.rowCount === 0) return false;
      const step = await client.query(
        `UPDATE trace_step SET quality = $3, reason = $4, corrected_thought = $5, corrected_actions = $6::json, source = 'person', is_doubtful = false
         WHERE run_id = $1 AND ordinal = $2`,
        [run, ordinal, quality, reason, correctedThought, actions],
      );
      if (step.rowCount === 0) return false;
      await client.query(
        `INSERT INTO trace_label (id, run_id, ordinal, quality, reason, corrected_thought, corrected_actions, source, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7::json, 'person', $8, clock_timestamp())`,
        [id, run, ordinal, quality, reason, correctedThought, actions, JSON.stringify(createdBy)],
      );
      await summarizeTraces(client, [run]);
      return true;
    });
  }

  /** Pins a trace: retention keeps the turn records of its run. @returns false if the project has no such trace */
  async pin(project: string, run: string, isPinned: boolean): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'UPDATE trace SET is_pinned = $3 WHERE project_id = $1 AND run_id = $2',
      [project, run, isPinned],
    );
    return rowCount === 1;
  }

  /** Object key of the record of a step; null if the step or its file does not exist. */
  async recordKey(project: string, run: string, ordinal: number): Promise<string | null> {
    const { rows } = await this.pool.query<{ key: string }>(
      `SELECT a.key FROM trace_step s JOIN trace t ON t.run_id = s.run_id JOIN artifact a ON a.id = s.record_id AND a.run_id = s.run_id
       WHERE t.project_id = $1 AND s.run_id = $2 AND s.ordinal = $3 AND a.stored_at IS NOT NULL`,
      [project, run, ordinal],
    );
    return rows[0]?.key ?? null;
  }
}
