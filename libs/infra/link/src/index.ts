export * from './attempt-link.ts';
export * from './attempt-lease.ts';
export * from './gateway-link.ts';
export { MAX_EVENT_BYTES, type EventAttachment } from './event-outbox.ts';
export type { Welcome } from './attempt-registry.ts';
export type { AssignmentOffer, WorkerIdentity } from './gateway-session.ts';
