import type { JobsOptions } from 'bullmq';

/** Identifies a dispatch job: the run and the number of its dispatch. The run's row is authoritative; a job may be stale. */
export interface DispatchJobId {
  run: string;
  dispatch: number;
}

/** A dispatch job of a fleet. */
export interface FleetJob extends DispatchJobId {
  /** Name of the fleet. */
  fleet: string;
  /** -100 (last) to 100 (first). */
  priority: number;
}

/** BullMQ queue of a fleet. */
export const queueName = (fleet: string) => `runs.${fleet}`;

/** BullMQ job id. It contains the dispatch number, because BullMQ ignores an added job whose id still exists. */
export const jobId = ({ run, dispatch }: DispatchJobId) => `${run}-${dispatch}`;

/** Parses a BullMQ job id. Returns null for an id of another format. */
export function parseJobId(id: string | undefined): DispatchJobId | null {
  const match = /^([0-9a-f-]{36})-(\d+)$/.exec(id ?? '');
  return match?.[1] && match[2] ? { run: match[1], dispatch: Number(match[2]) } : null;
}

/** Options of a job. BullMQ priorities are ascending from 1. Finished jobs are removed. */
export const jobOptions = (job: FleetJob): JobsOptions => ({
  jobId: jobId(job),
  priority: 101 - job.priority,
  removeOnComplete: true,
  removeOnFail: true,
});
