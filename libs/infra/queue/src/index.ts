export * from './job-queue.ts';
export * from './job-fetcher.ts';
export * from './rate-limiter.ts';
export type { FleetJob, DispatchJobId } from './dispatch-job.ts';
