import type { ApiResult } from './api-client.server.ts';
import { fetchJson } from './fetch-json.ts';
import type { ApiAnswer } from './post-api.ts';

/** Maximum duration of an upload: 100 MB at 1.5 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Ids of the uploads, or the failure. */
export type UploadedFiles = ApiResult<string[]>;

/** Uploads files through the console server, which can reach the object store. @returns ids of the uploads */
export async function postFiles(files: readonly File[]): Promise<ApiAnswer<string[]>> {
  const body = new FormData();
  for (const file of files) body.append('file', file);
  const { content, error } = await fetchJson('/uploads', {
    server: 'the console',
    timeoutMs: UPLOAD_TIMEOUT_MS,
    method: 'POST',
    body,
  });
  if (error !== null) return { answer: null, error: `Upload failed. ${error}` };
  const { result, failure } = content as UploadedFiles;
  return result ? { answer: result, error: null } : { answer: null, error: failure.message };
}
