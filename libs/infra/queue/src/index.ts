export * from './hints.ts';
export * from './fetcher.ts';
export * from './turns.ts';
export type { FleetHint, RunHint } from './job.ts';
