export * from './attempt.ts';
export * from './lease.ts';
export * from './link.ts';
export { MAX_EVENT_BYTES, type EventAttachment } from './outbox.ts';
export type { AssignmentOffer, Welcome, WorkerIdentity } from './conversation.ts';
