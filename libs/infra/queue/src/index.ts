export * from './hints.ts';
export * from './fetcher.ts';
export * from './turns.ts';
export type { FleetJob, DispatchJobId } from './job.ts';
