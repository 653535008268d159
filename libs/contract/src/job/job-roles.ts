import type { Role } from '../project/project-roles.ts';
import type { JobKind } from './job.schema.ts';

/** Role that may start, cancel and retry jobs of a kind. */
export const jobRoles = {
  score: 'operator',
  build_dataset: 'admin',
  export: 'admin',
  tune: 'admin',
  evaluate: 'operator',
} as const satisfies Record<JobKind, Role>;
