import type { FleetHistory } from '@pilothouse/contract/fleet/fleet.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Seconds between two samples of all fleets. */
export const SAMPLE_SECONDS = 15;

/** Days for which samples are stored. */
const RETENTION_DAYS = 7;

/** Maximum number of intervals of a history. */
const MAX_SPANS = 240;

// The first replica within an interval stores the sample for all.
const SAMPLE = `
INSERT INTO fleet_sample (fleet_id, sampled_at, waiting, running, workers, slots)
SELECT f.id, date_bin($1 * interval '1 second', now(), 'epoch'), r.waiting, r.running, w.workers, w.slots
FROM fleet f
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE status = 'queued')::int AS waiting, count(*) FILTER (WHERE status = 'running')::int AS running
  FROM run WHERE fleet_id = f.id AND status IN ('queued', 'running', 'awaiting_user')
) r
CROSS JOIN LATERAL (
  SELECT count(*)::int AS workers, coalesce(sum(slots), 0)::int AS slots FROM worker WHERE fleet_id = f.id AND state <> 'disconnected'
) w
ON CONFLICT (fleet_id, sampled_at) DO NOTHING`;

// A sample on the boundary belongs to its interval.
const SPANS = `
SELECT date_bin($2 * interval '1 second', sampled_at, 'epoch') AS at,
  max(waiting)::int AS waiting, max(running)::int AS running, max(workers)::int AS workers, max(slots)::int AS slots
FROM fleet_sample WHERE fleet_id = $1 AND sampled_at >= $3 GROUP BY 1 ORDER BY 1`;

const DECISIONS = `
SELECT max(decided_at) AS at, action, reason, sum(cardinality(workers))::int AS workers, (array_agg(error ORDER BY decided_at DESC) FILTER (WHERE error IS NOT NULL))[1] AS error
FROM fleet_decision WHERE fleet_id = $1 AND decided_at >= $3
GROUP BY date_bin($2 * interval '1 second', decided_at, 'epoch'), action, reason ORDER BY 1, action, reason`;

type Row<Part extends 'spans' | 'decisions'> = Omit<FleetHistory[Part][number], 'at'> & { at: Date };

/** State of fleets over time. */
export class FleetHistoryStore {
  constructor(private readonly pool: Pool) {}

  /** Samples all fleets, unless another replica just did. */
  async sample(): Promise<void> {
    await this.pool.query({ name: 'sample-fleets', text: SAMPLE, values: [SAMPLE_SECONDS] });
  }

  /** Removes expired samples. */
  async purge(): Promise<void> {
    await this.pool.query(`DELETE FROM fleet_sample WHERE sampled_at < now() - $1 * interval '1 day'`, [
      RETENTION_DAYS,
    ]);
  }

  /** History of a fleet over the last hours. */
  async read(fleet: string, hours: number, now: Date): Promise<FleetHistory> {
    const stepSeconds = SAMPLE_SECONDS * Math.ceil((hours * 3_600) / MAX_SPANS / SAMPLE_SECONDS);
    const step = stepSeconds * 1_000;
    const end = Math.ceil(now.getTime() / step) * step;
    const start = new Date(end - MAX_SPANS * step);
    const values = [fleet, stepSeconds, start];
    const [spans, decisions] = await Promise.all([
      this.pool.query<Row<'spans'>>(SPANS, values),
      this.pool.query<Row<'decisions'>>(DECISIONS, values),
    ]);
    return {
      from: start.toISOString(),
      to: new Date(end).toISOString(),
      stepSeconds,
      spans: spans.rows.map(toView),
      decisions: decisions.rows.map(toView),
    };
  }
}

const toView = <Part extends { at: Date }>(row: Part) => ({ ...row, at: row.at.toISOString() });
