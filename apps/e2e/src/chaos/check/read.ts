import type { Pool } from '@pilothouse/infra-db';
import type { StepFacts } from '../plan/workflow.ts';
import type { EventFacts, RunFacts } from './facts.ts';

/** A run as long as it is at work. */
export interface RunGlance {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly epoch: number;
  readonly events: number;
  readonly worker: string | null;
  /** Step that a person is asked about. */
  readonly asked: number | null;
}

/** The runs of a case, as they are now. */
export async function glance(pool: Pool, label: string): Promise<RunGlance[]> {
  const { rows } = await pool.query<RunGlance>(
    `SELECT id, labels->>'key' AS key, status, epoch, event_seq AS events, worker_name AS worker,
            (question->>'step')::int AS asked
     FROM run WHERE labels->>'case' = $1`,
    [label],
  );
  return rows;
}

/** The runs of a case, for the checker. @param stepsOf steps by Idempotency-Key */
export async function readRuns(
  pool: Pool,
  label: string,
  stepsOf: ReadonlyMap<string, readonly StepFacts[]>,
): Promise<RunFacts[]> {
  const { rows } = await pool.query<Omit<RunFacts, 'steps'>>(
    `SELECT r.id, r.status, r.epoch, r.event_seq AS "eventSeq", r.error->>'code' AS "errorCode", r.labels->>'key' AS key,
            r.definition->>'resume' AS resume, l.run_id IS NOT NULL AS "hasLease", s.run_id IS NOT NULL AS "hasSafePoint"
     FROM run r LEFT JOIN lease l ON l.run_id = r.id LEFT JOIN safe_point s ON s.run_id = r.id
     WHERE r.labels->>'case' = $1`,
    [label],
  );
  return rows.map((row) => ({ ...row, steps: stepsOf.get(row.key) ?? [] }));
}

/** Every event of the runs of a case, with the instant in which each became durable. */
export async function readEvents(pool: Pool, label: string): Promise<EventFacts[]> {
  const { rows } = await pool.query<EventFacts>(
    `SELECT e.run_id AS run, e.seq, e.epoch, e.n, e.type, e.data,
            (extract(epoch FROM pg_xact_commit_timestamp(e.xmin)) * 1000)::float8 AS "durableAt"
     FROM run_event e JOIN run r ON r.id = e.run_id WHERE r.labels->>'case' = $1 ORDER BY e.run_id, e.seq`,
    [label],
  );
  return rows;
}
