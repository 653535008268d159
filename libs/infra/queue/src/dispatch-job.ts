import type { JobsOptions } from 'bullmq';

/** A hint who is next: run and number of the hint. The truth stands in the run's row. */
export interface DispatchJobId {
  run: string;
  dispatch: number;
}

/** A hint and where it goes. */
export interface FleetJob extends DispatchJobId {
  /** Name of the fleet. */
  fleet: string;
  /** -100 (last) to 100 (first). */
  priority: number;
}

/** BullMQ queue of a fleet. */
export const queueName = (fleet: string) => `runs.${fleet}`;

/** Job of a hint. A used id can be taken again only after its job is gone, so the number of the hint is part of it. */
export const jobId = ({ run, dispatch }: DispatchJobId) => `${run}-${dispatch}`;

/** The hint of a job, or null when the id is not of ours. */
export function parseJobId(id: string | undefined): DispatchJobId | null {
  const match = /^([0-9a-f-]{36})-(\d+)$/.exec(id ?? '');
  return match?.[1] && match[2] ? { run: match[1], dispatch: Number(match[2]) } : null;
}

/** BullMQ sorts ascending from 1; a job is gone as soon as it is done. */
export const jobOptions = (hint: FleetJob): JobsOptions => ({
  jobId: jobId(hint),
  priority: 101 - hint.priority,
  removeOnComplete: true,
  removeOnFail: true,
});
