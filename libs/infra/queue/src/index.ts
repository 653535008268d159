export * from './job-queue.ts';
export * from './job-fetcher.ts';
export * from './learning-queue.ts';
export * from './learning-wakeups.ts';
export * from './rate-limiter.ts';
export * from './screen-parse-cache.ts';
export type { FleetJob, DispatchJobId } from './dispatch-job.ts';
