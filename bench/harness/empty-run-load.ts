import { setTimeout as pause } from 'node:timers/promises';
import type { BenchInstallation } from './bench-installation.ts';

/** A minimal run: one step that a null surface completes immediately. */
export const emptyRun = { steps: [{ action: 'navigate', url: 'https://example.com/' }] };

/** Concurrent REST requests. */
const CALLS = 64;

/** Pauses all fleets: submitted runs wait. */
export const pauseFleets = (installation: BenchInstallation) => installation.rows('UPDATE fleet SET paused_at = now()');

/** Resumes all fleets; the sweeper detects it within half a second. */
export const release = (installation: BenchInstallation) => installation.rows('UPDATE fleet SET paused_at = NULL');

/** Submits runs over REST concurrently. @returns milliseconds */
export async function submit(installation: BenchInstallation, runs: number, body: object = emptyRun): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const submitRuns = async () => {
    while (next < runs) {
      next += 1;
      await installation.client.json('/v1/runs', { method: 'POST', body });
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLS, runs) }, submitRuns));
  return performance.now() - startedAt;
}

/** Updates the planner statistics, like autovacuum. */
export const analyzeRuns = (installation: BenchInstallation) => installation.rows('ANALYZE run');

/** Inserts copies of the newest run with its first event, under new time-ordered ids. */
export async function insertRuns(installation: BenchInstallation, runs: number): Promise<void> {
  await installation.rows(
    `WITH source AS (SELECT * FROM run ORDER BY created_at DESC LIMIT 1),
     said AS (SELECT e.* FROM run_event e JOIN source s ON s.id = e.run_id WHERE e.seq = 1),
     stored AS (
       INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, secret_names,
         first_intent, priority, budget, capture, labels, status, event_seq, dispatch_number)
       SELECT uuidv7(), s.project_id, s.fleet_id, s.workflow_name, s.surface, s.definition, s.step_count, s.inputs,
         s.secret_names, s.first_intent, s.priority, s.budget, s.capture, s.labels, 'queued', 1, 0
       FROM source s, generate_series(1, $1)
       RETURNING id
     )
     INSERT INTO run_event (run_id, seq, epoch, type, version, level, message, data, occurred_at)
     SELECT stored.id, 1, 0, e.type, e.version, e.level, e.message, e.data, now() FROM stored, said e`,
    [runs],
  );
  await analyzeRuns(installation);
  // A checkpoint: otherwise the inserted rows would be written while the queue is drained.
  await installation.rows('CHECKPOINT');
}

/** Result of a drain, by the clock of the database. */
export interface Drain {
  readonly runs: number;
  /** From the first claim to the last completion. */
  readonly ms: number;
  readonly perSecond: number;
}

/**
 * Resumes the queue, waits until this many more runs are completed, then pauses it again.
 * @param runs number of waiting runs
 */
export async function drain(installation: BenchInstallation, runs: number): Promise<Drain> {
  const [progress] = await installation.rows<{ done: number; at: Date }>(
    `SELECT count(*)::int AS done, now() AS at FROM run WHERE status = 'completed'`,
  );
  const goal = (progress?.done ?? 0) + runs;
  await release(installation);
  const timeout = AbortSignal.timeout(300_000);
  for (;;) {
    const [now] = await installation.rows<{ done: number }>(
      `SELECT count(*)::int AS done FROM run WHERE status = 'completed'`,
    );
    if ((now?.done ?? 0) >= goal) break;
    await pause(250, undefined, { signal: timeout });
  }
  const [duration] = await installation.rows<{ ms: number; runs: number }>(
    `SELECT count(*)::int AS runs, 1000 * extract(epoch FROM max(finished_at) - min(started_at))::float8 AS ms FROM (
       SELECT started_at, finished_at FROM run WHERE finished_at > $1 ORDER BY finished_at LIMIT $2) r`,
    [progress?.at, runs],
  );
  const ms = duration?.ms ?? NaN;
  return { runs, ms, perSecond: (1000 * runs) / ms };
}
