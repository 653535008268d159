import { renderToReadableStream } from 'react-dom/server.edge';
import { ServerRouter, type EntryContext, type RouterContextProvider } from 'react-router';
import { renderContext } from './api/request-context.server.ts';

/** Milliseconds that deferred parts of a page may take. Name set by React Router. */
export const streamTimeout = 20_000;

/** Renders a page. Deferred parts follow in the same response. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
  routerContext: Readonly<RouterContextProvider>,
): Promise<Response> {
  const { nonce } = routerContext.get(renderContext);
  headers.set('content-type', 'text/html; charset=utf-8');
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  let code = status;
  const body = await renderToReadableStream(<ServerRouter context={context} url={request.url} nonce={nonce} />, {
    nonce,
    signal: request.signal,
    onError(error: unknown) {
      if (request.signal.aborted) return;
      code = 500;
      console.error(error);
    },
  });
  return new Response(body, { status: code, headers });
}
