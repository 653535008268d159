import { terminalStatuses } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** What ended before these instants is no longer kept; null: it is kept for ever. */
export interface Cutoffs {
  runs: Date | null;
  /** Never later than the one of runs: what a run has goes with it. */
  events: Date | null;
  artifacts: Date | null;
}

/** Statuses in which a run may be removed, as SQL. */
export const TERMINAL_STATUSES_SQL = `(${terminalStatuses.map((status) => `'${status}'`).join(', ')})`;

/** Until when a project keeps what, by the clock of the database. */
export async function readCutoffs(pool: Pool, project: string): Promise<Cutoffs> {
  const ago = (column: string) => `now() - ${column} * interval '1 day'`;
  const { rows } = await pool.query<Cutoffs>(
    `SELECT ${ago('keep_runs_days')} AS runs, greatest(${ago('keep_events_days')}, ${ago('keep_runs_days')}) AS events,
            greatest(${ago('keep_artifacts_days')}, ${ago('keep_runs_days')}) AS artifacts
     FROM project WHERE id = $1`,
    [project],
  );
  return rows[0] ?? { runs: null, events: null, artifacts: null };
}

/** A run that ended before a cutoff. */
export interface RunPastRetention {
  id: string;
  /** Number of its last event: how many it has, or had. */
  events: number;
}

interface Row extends RunPastRetention {
  createdAt: Date;
}

/** The least that uuids sort by. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Runs of a project that ended before an instant, in batches, each run once, while what was looked at may be removed behind it.
 * A run that has not ended is never among them.
 */
export async function* findRunsPastRetention(
  pool: Pool,
  project: string,
  before: Date,
  size: number,
): AsyncGenerator<RunPastRetention[]> {
  // One status after the other, each in the order of the index that has its runs: which that is has to be seen from the text.
  for (const status of terminalStatuses) {
    let after = { createdAt: new Date(0), id: FIRST };
    for (;;) {
      const { rows } = await pool.query<Row>({
        name: `due-runs-${status}`,
        text: `SELECT id, event_seq AS events, created_at AS "createdAt" FROM run
               WHERE project_id = $1 AND status = '${status}' AND created_at < $2 AND finished_at < $2 AND (created_at, id) > ($3, $4)
               ORDER BY created_at, id LIMIT $5`,
        values: [project, before, after.createdAt, after.id, size],
      });
      if (rows.length > 0) yield rows.map(({ id, events }) => ({ id, events }));
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      after = last;
    }
  }
}
