export { createClient, unwrapData, type Client, type ClientOptions } from './api-client.ts';
export { ApiError } from './api-error.ts';
export type { EventsOptions } from './run-event-stream.ts';
export { sseMessages, type SseMessage } from './run-event-stream.ts';
export type { UploadFile } from './api-client.ts';
export type { components, operations, paths } from './api.gen.ts';
