import type { LearningJob } from './learning-job.schema.ts';

/** True while the cancellation of a job is requested and has not ended: its learner has not stopped, or has not cancelled it at the tuner. */
export const isCancelling = ({
  status,
  isCancelRequested,
}: Pick<LearningJob, 'status' | 'isCancelRequested'>): boolean =>
  isCancelRequested && (status === 'queued' || status === 'running');
