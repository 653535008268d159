import type { AttemptView, ErrorView, EventType } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

interface Row {
  run: string;
  epoch: number;
  type: EventType;
  data: { worker?: string; error?: ErrorView };
  at: Date;
}

/** Events that begin or end an attempt. */
const TURNS = ['run.assigned', 'run.requeued', 'run.slot_released', 'run.completed', 'run.failed', 'run.cancelled'];

/** Attempts at runs by their events: who had the run when, and how that ended. Runs without attempts, or without events, have none. */
export async function readAttempts(pool: Pool, runs: readonly string[]): Promise<Map<string, AttemptView[]>> {
  const { rows } = await pool.query<Row>(
    `SELECT run_id AS run, epoch, type, data, at FROM run_event
     WHERE run_id = ANY ($1::uuid[]) AND type = ANY ($2) ORDER BY run_id, seq`,
    [runs, TURNS],
  );
  const attempts = new Map<string, AttemptView[]>();
  for (const { run, epoch, type, data, at } of rows) {
    const sofar = attempts.get(run) ?? [];
    attempts.set(run, sofar);
    const last = sofar.at(-1);
    if (type === 'run.assigned') {
      const worker = data.worker ?? 'unknown';
      sofar.push({ epoch, worker, startedAt: at.toISOString(), endedAt: null, error: null });
    } else if (last?.epoch === epoch && last.endedAt === null) {
      last.endedAt = at.toISOString();
      last.error = data.error ?? null;
    }
  }
  return attempts;
}
