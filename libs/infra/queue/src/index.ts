export * from './job-queue.ts';
export * from './job-fetcher.ts';
export * from './background-queue.ts';
export * from './background-wakeups.ts';
export * from './rate-limiter.ts';
export * from './screen-parse-cache.ts';
export type { FleetJob, DispatchJobId } from './dispatch-job.ts';
