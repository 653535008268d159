import type { Trace, TraceAssessment, TraceStep } from '@pilothouse/contract/learning/trace.schema';
import type { Pool, PoolClient } from '../client/pg-pool.ts';

/** A scored step to be stored. */
export interface NewTraceStep extends Omit<TraceStep, 'version'> {
  /** Id of the new label. */
  readonly label: string;
}

/** Score of a whole trace. */
export interface TraceScore extends Pick<Trace, 'run' | 'goal' | 'model' | 'sites' | 'note'> {
  readonly version: string;
  readonly steps: readonly NewTraceStep[];
}

/** Score of one step by a model. */
export interface ModelLabel extends TraceAssessment {
  readonly ordinal: number;
  readonly note: string | null;
}

const STEP_COLUMNS = `label uuid, ordinal int, step int, turn int, branch text, record uuid, screenshot uuid, thought text, actions json,
  quality text, reason text, "correctedThought" text, "correctedActions" json, source text, "isDoubtful" boolean, note text`;

/** True if a person labeled the step: later scores do not change the label in effect. */
export const labeledByPersonSql = (run: string, ordinal: string) =>
  `EXISTS (SELECT 1 FROM trace_label l WHERE l.run_id = ${run} AND l.ordinal = ${ordinal} AND l.version IS NULL)`;

/** Columns of the label in effect. */
const EFFECTIVE_COLUMNS = ['quality', 'reason', 'corrected_thought', 'corrected_actions', 'source', 'is_doubtful'];

const SAVE_STEPS = `
INSERT INTO trace_step AS s (run_id, ordinal, step, turn, branch, record_id, screenshot_id, thought, actions, quality, reason,
  corrected_thought, corrected_actions, source, is_doubtful, note, version)
SELECT $1, n.ordinal, n.step, n.turn, n.branch, n.record, n.screenshot, n.thought, n.actions, n.quality, n.reason,
  n."correctedThought", n."correctedActions", n.source, n."isDoubtful", n.note, $3
FROM json_to_recordset($2::json) AS n(${STEP_COLUMNS})
ON CONFLICT (run_id, ordinal) DO UPDATE SET step = excluded.step, turn = excluded.turn, branch = excluded.branch,
  record_id = excluded.record_id, screenshot_id = excluded.screenshot_id, thought = excluded.thought, actions = excluded.actions,
  note = excluded.note, version = excluded.version,
  ${EFFECTIVE_COLUMNS.map((column) => `${column} = CASE WHEN ${labeledByPersonSql('s.run_id', 's.ordinal')} THEN s.${column} ELSE excluded.${column} END`).join(', ')}`;

const SAVE_LABELS = `
INSERT INTO trace_label (id, run_id, ordinal, quality, reason, corrected_thought, corrected_actions, source, version, note)
SELECT n.label, $1, n.ordinal, n.quality, n.reason, n."correctedThought", n."correctedActions", n.source, $3, n.note
FROM json_to_recordset($2::json) AS n(${STEP_COLUMNS})
ON CONFLICT (run_id, ordinal, source, version) DO NOTHING`;

/**
 * Counts the labels in effect. A run that did not complete although no step is bad is doubtful, until a person has labeled all steps.
 */
const SUMMARIZE = `
UPDATE trace t SET step_count = c.steps, good_count = c.good, bad_count = c.bad, unknown_count = c.unknown,
  quality = CASE WHEN c.bad > 0 THEN 'bad' WHEN c.steps > 0 AND c.unknown = 0 AND (t.status = 'completed' OR c.labeled = c.steps) THEN 'good'
    ELSE 'unknown' END,
  needs_review = c.steps = 0 OR c.unknown > 0 OR c.doubtful > 0 OR (t.status <> 'completed' AND c.bad = 0 AND c.labeled < c.steps)
FROM unnest($1::uuid[]) AS r(run), LATERAL (
  SELECT count(*)::int AS steps, (count(*) FILTER (WHERE s.quality = 'good'))::int AS good,
    (count(*) FILTER (WHERE s.quality = 'bad'))::int AS bad, (count(*) FILTER (WHERE s.quality = 'unknown'))::int AS unknown,
    (count(*) FILTER (WHERE s.is_doubtful))::int AS doubtful,
    (count(*) FILTER (WHERE ${labeledByPersonSql('s.run_id', 's.ordinal')}))::int AS labeled
  FROM trace_step s WHERE s.run_id = r.run
) c WHERE t.run_id = r.run AND t.scored_at IS NOT NULL`;

type Client = Pick<Pool | PoolClient, 'query'>;

/** Updates counts, quality and `needs_review` of traces after a change of their steps. */
export async function summarizeTraces(client: Client, runs: readonly string[]): Promise<void> {
  await client.query(SUMMARIZE, [runs]);
}

/**
 * Stores a score in the transaction of the caller. A repeated score of one version adds no labels. Labels of persons stay in effect, and
 * steps without a new score remain.
 * @returns false if the trace is deleted
 */
export async function saveTraceScore(client: Client, score: TraceScore): Promise<boolean> {
  const { run, version, steps, goal, model, sites, note } = score;
  const { rowCount } = await client.query(
    'UPDATE trace SET goal = $2, model = $3, sites = $4, note = $5, score_version = $6, scored_at = now() WHERE run_id = $1',
    [run, goal, model, sites, note, version],
  );
  if (rowCount === 0) return false;
  const values = [run, JSON.stringify(steps), version];
  await client.query(SAVE_STEPS, values);
  await client.query(SAVE_LABELS, values);
  await summarizeTraces(client, [run]);
  return true;
}

/** Stores the answer of a model for one step, so that another attempt does not ask again. @returns false if the trace is deleted */
export async function saveModelLabel(
  client: Client,
  run: string,
  version: string,
  { ordinal, quality, reason, correctedThought, correctedActions, note }: ModelLabel,
  id: string,
): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM trace WHERE run_id = $1 FOR KEY SHARE', [run]);
  if (rowCount === 0) return false;
  await client.query(
    `INSERT INTO trace_label (id, run_id, ordinal, quality, reason, corrected_thought, corrected_actions, source, version, note)
     VALUES ($1, $2, $3, $4, $5, $6, $7::json, 'model', $8, $9) ON CONFLICT (run_id, ordinal, source, version) DO NOTHING`,
    [
      id,
      run,
      ordinal,
      quality,
      reason,
      correctedThought,
      correctedActions && JSON.stringify(correctedActions),
      version,
      note,
    ],
  );
  return true;
}

export interface TraceToScore extends Pick<Trace, 'run' | 'status'> {
  /** Numbers of steps by their record, from an earlier score. */
  readonly ordinals: ReadonlyMap<string, number>;
  /** Answers of a model in this version. */
  readonly labels: readonly ModelLabel[];
  /** Numbers of the steps that persons labeled. */
  readonly reviewedOrdinals: ReadonlySet<number>;
  /** Files with records and screenshots, oldest first; those that a worker announced but did not store have no size. */
  readonly files: readonly TurnFile[];
}

/** A file of kind `turn`. */
export interface TurnFile {
  readonly id: string;
  readonly name: string;
  readonly step: number | null;
  readonly key: string;
  /** Bytes; null: it was not stored. */
  readonly size: number | null;
}

/** Reads what is needed to score a trace. Returns null if it is deleted. */
export async function readTraceToScore(client: Client, run: string, version: string): Promise<TraceToScore | null> {
  const query = <Row extends object>(text: string, values: unknown[]) => (client as Pool).query<Row>(text, values);
  const trace = await query<Pick<Trace, 'status'>>('SELECT status FROM trace WHERE run_id = $1', [run]);
  if (!trace.rows[0]) return null;
  const steps = await query<{ record: string; ordinal: number }>(
    'SELECT record_id AS record, ordinal FROM trace_step WHERE run_id = $1',
    [run],
  );
  const labels = await query<ModelLabel>(
    `SELECT ordinal, quality, reason, corrected_thought AS "correctedThought", corrected_actions AS "correctedActions", note
     FROM trace_label WHERE run_id = $1 AND source = 'model' AND version = $2`,
    [run, version],
  );
  const reviewed = await query<{ ordinal: number }>(
    'SELECT DISTINCT ordinal FROM trace_label WHERE run_id = $1 AND version IS NULL',
    [run],
  );
  const files = await query<TurnFile>(
    `SELECT id, name, step, key, CASE WHEN stored_at IS NOT NULL THEN size END AS size FROM artifact
     WHERE run_id = $1 AND kind = 'turn' ORDER BY epoch, created_at, id`,
    [run],
  );
  return {
    run,
    status: trace.rows[0].status,
    ordinals: new Map(steps.rows.map(({ record, ordinal }) => [record, ordinal])),
    labels: labels.rows,
    reviewedOrdinals: new Set(reviewed.rows.map(({ ordinal }) => ordinal)),
    files: files.rows,
  };
}
