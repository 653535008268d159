import type { Role } from '../project/project-roles.ts';
import type { Job, JobKind } from './job.schema.ts';

/** True if cancellation was requested and the job has not ended. */
export const isCancelling = ({ status, isCancelRequested }: Pick<Job, 'status' | 'isCancelRequested'>): boolean =>
  isCancelRequested && (status === 'queued' || status === 'running');

/** True if a tuning job ended at its tuner without a model. A retry would follow the same job at the tuner and fail again. */
export const isEndedAtTuner = ({
  kind,
  status,
  startedAt,
  progress,
  error,
}: Pick<Job, 'kind' | 'status' | 'startedAt' | 'progress' | 'error'>): boolean =>
  kind === 'tune' &&
  ((status === 'cancelled' && startedAt !== null) ||
    (status === 'failed' && progress !== null && error?.code === 'TUNING_FAILED'));

/** Role that may start, cancel and retry jobs of a kind. */
export const jobRoles = {
  score: 'operator',
  build_dataset: 'admin',
  export: 'admin',
  tune: 'admin',
  evaluate: 'operator',
} as const satisfies Record<JobKind, Role>;
