import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createOnce } from './call-model.ts';

type Fetch = typeof globalThis.fetch;

/** Maximum bytes of a response, after decompression. A long streamed answer has about ten million. */
export const MAX_RESPONSE_BYTES = 32_000_000;

/**
 * Returns `fetch` for model servers, with its own dispatcher. The one of the process gives up 300 s after the request, and 300 s after the last
 * byte. A local server may read a prompt for longer. The signal of the call bounds it instead. Responses are bounded in size, and redirects
 * become errors: a prompt goes only to the configured address.
 */
export const modelFetch: () => Promise<Fetch> = createOnce(async () => {
  const { Agent } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return async (input, init) => {
    const response = await fetch(input, { ...init, dispatcher, redirect: 'manual' } as RequestInit);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    return location === null ? bounded(response) : redirected(response, location);
  };
});

/** A response whose body fails beyond the limit. A byte order mark is removed, which the parsers of streams do not know. */
function bounded(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const isMarked = bytes === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
      bytes += chunk.length;
      if (bytes <= MAX_RESPONSE_BYTES) return controller.enqueue(isMarked ? chunk.subarray(3) : chunk);
      controller.error(
        new PilothouseError(
          'MODEL_INVALID',
          `The response of ${new URL(response.url).host} is longer than ${MAX_RESPONSE_BYTES / 1_000_000} MB and was cut off`,
        ),
      );
    },
  });
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
}

/** An error response in the place of a redirect, which names the address without its query. */
async function redirected(response: Response, location: string): Promise<Response> {
  await response.body?.cancel();
  const target = URL.canParse(location, response.url) ? new URL(location, response.url) : null;
  const address = target ? `${target.origin}${target.pathname}` : 'an invalid address';
  const message = `the server redirects to ${address}. Requests are not redirected: set the \`baseUrl\` of the endpoint to the final address`;
  return Response.json({ error: { message } }, { status: response.status });
}
