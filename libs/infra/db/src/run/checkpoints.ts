import type { Checkpoint, ErrorView } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** How far former attempts at a run came, step by step. */
export async function readCheckpoints(pool: Pool, run: string): Promise<Checkpoint[]> {
  type Row = Omit<Checkpoint, 'at' | 'error'> & { at: string | null; error: ErrorView | null };
  const { rows } = await pool.query<Row>({
    name: 'checkpoints',
    text: 'SELECT step, at, status, epoch, value, error, telling FROM run_step WHERE run_id = $1 ORDER BY step',
    values: [run],
  });
  return rows.map(({ at, error, ...row }) => ({ ...row, ...(at !== null && { at }), ...(error && { error }) }));
}

/** Bytes of what former attempts at a run have read, as JSON. */
export async function checkpointBytes(pool: Pool, run: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>({
    name: 'read-bytes',
    text: 'SELECT coalesce(sum(octet_length(value::text)), 0)::float8 AS bytes FROM run_step WHERE run_id = $1',
    values: [run],
  });
  return rows[0]?.bytes ?? 0;
}

/** Where an attempt may go on, and the sealed state of the surface there; null when no attempt came to a safe point. */
export async function readSafePoint(pool: Pool, run: string): Promise<{ step: number; state: Buffer } | null> {
  const { rows } = await pool.query<{ step: number; state: Buffer }>({
    name: 'safe-point',
    text: 'SELECT step, state FROM safe_point WHERE run_id = $1',
    values: [run],
  });
  return rows[0] ?? null;
}
