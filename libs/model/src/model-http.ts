import { createOnce } from './call-model.ts';

type Fetch = typeof globalThis.fetch;

/**
 * Returns `fetch` with its own dispatcher. The one of the process gives up 300 s after the request, and 300 s after the last byte. A local
 * server may read a prompt for longer. The signal of the call bounds it instead.
 */
export const withoutHttpTimeouts: () => Promise<Fetch> = createOnce(async () => {
  const { Agent } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit);
});
