import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Pool } from '../client/pg-pool.ts';
import { RANDOM_BATCH_SQL } from './proposal.store.ts';

/** Interval after which a healed run is old. It covers a weekend, in which obstacles to a proposal may not be fixed. */
const OLD_AFTER = `interval '7 days'`;

/** A finished run with healed steps. */
export interface HealedRun {
  readonly run: string;
  readonly status: string;
  /** It finished so long ago that an error of its proposal is no longer expected to pass. */
  readonly isOld: boolean;
}

/** Runs with healed steps whose repairs are not proposed yet. */
export class HealedRunStore {
  constructor(private readonly pool: Pool) {}

  /** Adds a run of which a step was healed. */
  async add(run: string): Promise<void> {
    await this.pool.query('INSERT INTO healed_run (run_id) VALUES ($1) ON CONFLICT DO NOTHING', [run]);
  }

  /** Finished runs; a deleted run has the status `failed`. */
  async finished(): Promise<HealedRun[]> {
    const { rows } = await this.pool.query<HealedRun>({
      name: 'healed-runs',
      text: `SELECT h.run_id AS run, coalesce(r.status, 'failed') AS status, greatest(h.at, r.finished_at) < now() - ${OLD_AFTER} AS "isOld"
        FROM healed_run h LEFT JOIN run r ON r.id = h.run_id
        WHERE r.id IS NULL OR r.status IN ('completed', 'failed', 'cancelled') ${RANDOM_BATCH_SQL}`,
    });
    return rows;
  }

  /** The `step.healed` events of a run. */
  async events(run: string): Promise<Pick<RunEvent, 'type' | 'data'>[]> {
    const { rows } = await this.pool.query<Pick<RunEvent, 'type' | 'data'>>(
      `SELECT type, data FROM run_event WHERE run_id = $1 AND type = 'step.healed' ORDER BY seq`,
      [run],
    );
    return rows;
  }

  async delete(run: string): Promise<void> {
    await this.pool.query('DELETE FROM healed_run WHERE run_id = $1', [run]);
  }
}
