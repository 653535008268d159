export { createClient, unwrapData, type Client, type ClientOptions } from './api-client.ts';
export { ApiError } from './api-error.ts';
export type { EventsOptions } from './run-event-stream.ts';
export type { JobStatesOptions } from './job-stream.ts';
export { sseMessages, type SseMessage } from './sse-connection.ts';
export type { A2uiOptions, SubmitA2uiOptions } from './a2ui-client.ts';
export type { UploadFile } from './api-client.ts';
export type { RestApi, SubmitA2uiBody } from './rest-api.ts';
