import type { Transfer } from '@pilothouse/contract';
import { toApiError, networkError } from './error.ts';

/** A file for an input of a run. */
export interface UploadFile {
  /** As the site will see it. */
  name: string;
  /** Default: `application/octet-stream`. */
  contentType?: string;
  /** The whole file; `openAsBlob` of `node:fs` gives one that is read while it is sent. */
  content: Blob | Uint8Array<ArrayBuffer>;
}

/** Sends an object as a transfer says. @throws ApiError, PilothouseError UNAVAILABLE */
export async function uploadFile(
  fetchUrl: typeof fetch,
  { method, url, headers }: Transfer,
  content: Blob,
  signal?: AbortSignal,
): Promise<void> {
  const response = await fetchUrl(url, {
    method,
    headers,
    body: content,
    ...(signal && { signal }),
  }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    throw networkError(new URL(url).origin, thrown);
  });
  if (!response.ok) throw await toApiError(response);
  await response.arrayBuffer();
}
