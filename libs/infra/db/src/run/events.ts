import { upgradeEvent, type RunEvent } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

interface Row extends Omit<RunEvent, 'at'> {
  at: Date;
}

/**
 * Events of a run after `seq`, in order, upgraded to their newest version.
 * @param limit most events of one answer
 */
export async function eventsAfter(pool: Pool, run: string, seq: number, limit = 500): Promise<RunEvent[]> {
  const { rows } = await pool.query<Row>({
    name: 'events-after',
    text: `SELECT run_id AS run, seq, epoch, type, version AS v, level, message, data, at
           FROM run_event WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    values: [run, seq, limit],
  });
  return rows.map((row) => upgradeEvent({ ...row, at: row.at.toISOString() }));
}
