import type { Role } from '../project/project-roles.ts';
import type { LearningJobKind } from './learning-job.schema.ts';

/** Role that may start, cancel and retry jobs of a kind. */
export const learningJobRoles = {
  score: 'operator',
  build_dataset: 'admin',
  export: 'admin',
  tune: 'admin',
  evaluate: 'operator',
} as const satisfies Record<LearningJobKind, Role>;
