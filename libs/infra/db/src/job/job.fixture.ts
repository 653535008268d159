import { randomUUID } from 'node:crypto';
import type { Pool } from '../client/pg-pool.ts';
import { JobStore, type NewJob } from './job.store.ts';

/** Creates a project. @returns its id */
export async function addProject(pool: Pool, slug = `project-${randomUUID()}`): Promise<string> {
  const id = randomUUID();
  await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [id, slug]);
  return id;
}

/** Creates a job of kind `score`. @returns its id */
export async function addJob(pool: Pool, project: string, fields: Partial<NewJob> = {}): Promise<string> {
  const { id } = await new JobStore(pool).insert({
    id: randomUUID(),
    project,
    kind: 'score',
    params: {},
    ...fields,
  });
  return id;
}
