import type { Checkpoint } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** How far former attempts at a run came, step by step. */
export async function checkpointsOf(pool: Pool, run: string): Promise<Checkpoint[]> {
  const { rows } = await pool.query<Checkpoint>({
    name: 'checkpoints',
    text: 'SELECT step, status, epoch, value FROM run_step WHERE run_id = $1 ORDER BY step',
    values: [run],
  });
  return rows;
}
