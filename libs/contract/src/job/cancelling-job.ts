import type { Job } from './job.schema.ts';

/** True if cancellation was requested and the job has not ended. */
export const isCancelling = ({ status, isCancelRequested }: Pick<Job, 'status' | 'isCancelRequested'>): boolean =>
  isCancelRequested && (status === 'queued' || status === 'running');
