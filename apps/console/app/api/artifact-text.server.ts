import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import { renderContext } from './request-context.server.ts';
import type { RouteArgs } from './api-client.server.ts';

/** Maximum duration of the download. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Finds an artifact of a run; undefined: the run has none with this id. */
export async function findArtifact({ api }: Client, run: string, file: string): Promise<ArtifactView | undefined> {
  const { items } = await unwrapData(api.GET('/v1/runs/{run}/artifacts', { params: { path: { run } } }));
  return items.find(({ id }) => id === file);
}

/**
 * Reads the text of an artifact. The console server reads it, because the content security policy of the pages blocks
 * the object store.
 * @throws PilothouseError UNAVAILABLE
 */
export async function readArtifactText(
  { request, context }: RouteArgs,
  { url: signedUrl, size }: ArtifactView,
): Promise<string> {
  const { pathname, search } = new URL(signedUrl);
  const isApiObject = pathname.startsWith('/v1/objects/');
  const url = isApiObject ? new URL(pathname + search, context.get(renderContext).apiUrl) : signedUrl;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { signal });
    if (response.ok) return await readText(response, size);
    await response.body?.cancel();
    throw new PilothouseError('UNAVAILABLE', `The object store returned HTTP ${response.status}.`);
  } catch (error) {
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError('UNAVAILABLE', 'The object store did not respond. Try again.', { cause: error });
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new PilothouseError('UNAVAILABLE', 'The object store sent more bytes than the file has. Try again.');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
