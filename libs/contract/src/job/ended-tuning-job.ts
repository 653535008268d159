import type { Job } from './job.schema.ts';

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
