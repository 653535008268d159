import type { Trace, TraceLabel } from '@pilothouse/contract/learning/trace.schema';

/* Rows of traces, and the columns that select them. */

export interface TraceRow extends Omit<Trace, 'createdAt' | 'scoredAt'> {
  createdAt: Date;
  scoredAt: Date | null;
}

export interface TraceLabelRow extends Omit<TraceLabel, 'createdAt'> {
  createdAt: Date;
}

/** Columns of `trace t`. */
export const TRACE_COLUMNS_SQL = `t.run_id AS run, t.project_id AS project, t.workflow_id AS workflow, t.workflow_version AS "workflowVersion",
  t.workflow_name AS "workflowName", t.surface, t.goal, t.model, t.status, t.quality, t.score_version AS "scoreVersion",
  t.step_count AS "stepCount", t.good_count AS "goodCount", t.bad_count AS "badCount", t.unknown_count AS "unknownCount",
  t.needs_review AS "needsReview", t.sites, t.is_pinned AS "isPinned", t.note, t.created_at AS "createdAt", t.scored_at AS "scoredAt"`;

const LABEL_COLUMNS_SQL = `quality, reason, corrected_thought AS "correctedThought", corrected_actions AS "correctedActions", source, version`;

/** Columns of `trace_step`. */
export const TRACE_STEP_COLUMNS_SQL = `ordinal, step, turn, branch, record_id AS record, screenshot_id AS screenshot, thought, actions,
  ${LABEL_COLUMNS_SQL}, is_doubtful AS "isDoubtful", note`;

/** Columns of `trace_label`. */
export const TRACE_LABEL_COLUMNS_SQL = `id, ordinal, ${LABEL_COLUMNS_SQL}, created_by AS "createdBy", created_at AS "createdAt"`;

export const toTrace = ({ createdAt, scoredAt, ...row }: TraceRow): Trace => ({
  ...row,
  createdAt: createdAt.toISOString(),
  scoredAt: scoredAt?.toISOString() ?? null,
});

export const toTraceLabel = ({ createdAt, ...row }: TraceLabelRow): TraceLabel => ({
  ...row,
  createdAt: createdAt.toISOString(),
});
