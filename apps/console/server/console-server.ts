import type { Log } from '@pilothouse/core';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { StaticFiles } from './static-files.ts';
import { requestOf, send } from './web-request.ts';
import { trustForwarded, type TrustOptions } from './client-address.ts';
import { pageHeaders } from './security-headers.ts';
import { isCrossOrigin } from './same-origin.ts';
import { apiPrefix } from './api-prefix.ts';
import { createProxy } from './api-proxy.ts';
import type { Render } from './page-renderer.ts';
import { LIVE_GRID_PATH } from './live-grid-messages.ts';
import { createLiveGridStream } from './live-grid-stream.ts';

export interface ConsoleOptions extends Partial<TrustOptions> {
  /** Where the API is, without a slash at its end. */
  apiUrl: string;
  /** Where browsers fetch objects, when not from the API. */
  objectsEndpoint?: string | undefined;
  render: Render;
  files: StaticFiles;
  log: Log;
}

/** Milliseconds a page may take, its questions to the API included. */
const pageMs = 30_000;

/** The console: files, pages, and the way to the API under `/api/v1`, all of one origin. Not yet listening. */
export function createConsoleServer(options: ConsoleOptions): Server {
  const { apiUrl, objectsEndpoint, render, files, log, proxyCount = 0, consoleToken } = options;
  const proxy = createProxy(apiUrl);
  const streamLiveGrid = createLiveGridStream(apiUrl, log);

  const page = async (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const nonce = randomBytes(16).toString('base64');
    const asked = requestOf(request, AbortSignal.any([gone.signal, AbortSignal.timeout(pageMs)]));
    const answer = await render(asked, { apiUrl, nonce, objectsEndpoint });
    for (const [name, value] of pageHeaders(nonce, objectsEndpoint)) answer.headers.set(name, value);
    await send(answer, response, request.headers['accept-encoding']);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    if (path === '/healthz') return void plain(response, 200, 'ok');
    if (isCrossOrigin(request)) return void plain(response, 403, 'This request comes from another site.');
    if (path.startsWith(apiPrefix)) return proxy(request, response);
    if (path === LIVE_GRID_PATH) return streamLiveGrid(request, response);
    if (files.send(path, request, response)) return;
    await page(request, response);
  };

  return createServer((request, response) => {
    trustForwarded(request, { proxyCount, consoleToken });
    answer(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      log.error({ path: request.url?.split('?', 1)[0], error: String(error) }, 'A request failed');
      if (response.headersSent) response.destroy();
      else plain(response, 500, 'The console failed. Its log says why.');
    });
  });
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(text);
}
