export { createClient, unwrapData, type Client, type ClientOptions } from './client.ts';
export { ApiError } from './error.ts';
export type { EventsOptions } from './events.ts';
export { sseMessages, type SseMessage } from './sse.ts';
export type { UploadFile } from './upload.ts';
export type { components, operations, paths } from './api.gen.ts';
