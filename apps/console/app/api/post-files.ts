import type { ApiResult } from './api-client.server.ts';
import type { ApiAnswer } from './post-api.ts';

/** Ids of the uploads, or the failure. */
export type UploadedFiles = ApiResult<string[]>;

/** Uploads files through the console server, which can reach the object store. @returns ids of the uploads */
export async function postFiles(run: string, files: readonly File[]): Promise<ApiAnswer<string[]>> {
  const body = new FormData();
  for (const file of files) body.append('file', file);
  try {
    const response = await fetch(`/runs/${run}/upload`, { method: 'POST', body });
    const { result, failure } = (await response.json()) as UploadedFiles;
    return result ? { answer: result, error: null } : { answer: null, error: failure.message };
  } catch {
    return {
      answer: null,
      error: 'The files were not uploaded: the console did not answer. Try again, or sign in again.',
    };
  }
}
