export * from './live-event-stream.ts';
export * from './redis-pubsub.ts';
export * from './run-channel.ts';
