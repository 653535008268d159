import { randomUUID } from 'node:crypto';
import type { Pool } from '../client/pg-pool.ts';

/** Creates an active run in an empty database, with its project and fleet. @returns its id */
export async function addRun(pool: Pool): Promise<string> {
  const [run, project, fleet] = [randomUUID(), randomUUID(), randomUUID()];
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
  await pool.query(
    `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects) VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
    [fleet],
  );
  await pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status)
     VALUES ($1, $2, $3, 'x', 'browser', '{}', 1, '{}', '{}', '{}', '{}', 'running')`,
    [run, project, fleet],
  );
  return run;
}
