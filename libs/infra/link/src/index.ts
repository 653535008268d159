export * from './attempt.ts';
export * from './lease.ts';
export * from './link.ts';
export { MAX_EVENT_BYTES, type Rider } from './outbox.ts';
export type { Offer, Welcome, WorkerFacts } from './conversation.ts';
