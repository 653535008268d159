import { randomUUID } from 'node:crypto';
import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import type { Pool } from '../client/pg-pool.ts';
import type { NewTraceStep } from './trace-score.store.ts';

/** Creates a project and a fleet. */
export async function addTraceOwner(pool: Pool): Promise<{ project: string; fleet: string }> {
  const [project, fleet] = [randomUUID(), randomUUID()];
  await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [project, `p-${project.slice(0, 8)}`]);
  await pool.query(
    `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
     VALUES ($1, $2, 'browser', 2, 0, 3, 1, 60, '{}')`,
    [fleet, `f-${fleet.slice(0, 8)}`],
  );
  return { project, fleet };
}

/** Creates a finished run. @returns its id */
export async function addFinishedRun(
  pool: Pool,
  { project, fleet }: { project: string; fleet: string },
  { status = 'completed', createdAt = new Date('2026-01-01T00:00:00Z'), workflowName = 'shop' } = {},
): Promise<string> {
  const run = randomUUID();
  await pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status, created_at, finished_at)
     VALUES ($1, $2, $3, $4, 'browser', '{}', 1, '{}', '{}', '{}', '{}', $5, $6, $6)`,
    [run, project, fleet, workflowName, status, createdAt],
  );
  return run;
}

/** Creates the trace of a new finished run, not scored. @returns its run */
export async function addTrace(
  pool: Pool,
  owner: { project: string; fleet: string },
  {
    status = 'completed',
    createdAt = new Date('2026-01-01T00:00:00Z'),
    workflowName = 'shop',
    surface = 'browser',
  }: Partial<Pick<Trace, 'status' | 'workflowName' | 'surface'>> & { createdAt?: Date } = {},
): Promise<string> {
  const run = await addFinishedRun(pool, owner, { status, createdAt, workflowName });
  await pool.query(
    'INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
    [run, owner.project, workflowName, surface, status, createdAt],
  );
  return run;
}

export const aScoredStep = (step: Partial<NewTraceStep> = {}): NewTraceStep => ({
  label: randomUUID(),
  ordinal: 1,
  step: 0,
  turn: 1,
  branch: null,
  record: randomUUID(),
  screenshot: null,
  thought: 'The cart is empty.',
  actions: [],
  quality: 'good',
  reason: 'It moves towards the goal.',
  correctedThought: null,
  correctedActions: null,
  source: 'model',
  isDoubtful: false,
  note: null,
  ...step,
});
