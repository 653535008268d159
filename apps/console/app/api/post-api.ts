import { apiPrefix } from '../../server/api-prefix.ts';
import type { ApiResult } from './api-client.server.ts';
import { fetchJson } from './fetch-json.ts';

const RESPONSE_TIMEOUT_MS = 20_000;

/** Response of the API, or an error message. */
export type ApiAnswer<Value> = { answer: Value; error: null } | { answer: null; error: string };

export interface PostOptions {
  method?: 'POST' | 'DELETE';
  body?: unknown;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
}

/** Changes data through the API from browser code. The console server adds the identity and the CSRF token. @param path below `/v1/` */
export async function postApi<Value>(
  path: string,
  { method = 'POST', body, keepalive = false }: PostOptions = {},
): Promise<ApiAnswer<Value>> {
  const { response, content, error } = await fetchJson(apiPrefix + path, {
    server: 'the API',
    timeoutMs: RESPONSE_TIMEOUT_MS,
    method,
    keepalive,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (error !== null) return { answer: null, error };
  if (response.ok) return { answer: content as Value, error: null };
  const { detail, title } = content as { detail?: string; title?: string };
  return { answer: null, error: detail ?? title ?? `Request failed (HTTP ${response.status})` };
}

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
