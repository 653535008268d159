export type { components, operations, paths } from './api.gen.ts';
export * from './client.ts';
export * from './error.ts';
export { sendFile } from './transfer.ts';
