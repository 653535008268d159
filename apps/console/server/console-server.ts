import type { Log } from '@pilothouse/core/ports/runtime.port';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { StaticFiles } from './static-files.ts';
import { toWebRequest, sendWebResponse } from './web-request.ts';
import { trustForwarded, type TrustOptions } from './client-address.ts';
import { pageHeaders } from './security-headers.ts';
import { isCrossOrigin } from './csrf.ts';
import { apiPrefix } from './api-prefix.ts';
import { createProxy } from './api-proxy.ts';
import type { Render } from './page-renderer.ts';
import { LIVE_GRID_PATH } from './live-grid-messages.ts';
import { createLiveGridStream } from './live-grid-stream.ts';

export interface ConsoleOptions extends Partial<TrustOptions> {
  /** URL of the API without a trailing slash. */
  apiUrl: string;
  /** Origin of the object store for browsers, if they do not use the API. */
  objectsEndpoint?: string | undefined;
  render: Render;
  files: StaticFiles;
  log: Log;
}

/** Maximum milliseconds to render a page, including its API calls. */
const PAGE_TIMEOUT_MS = 30_000;

/** Maximum milliseconds of a form, including the upload of its files. Each API call has a shorter limit of its own. */
const ACTION_TIMEOUT_MS = 11 * 60_000;

/** Creates the HTTP server of the console: static files, pages, and the API proxy under `/api/v1`. It does not listen yet. */
export function createConsoleServer(options: ConsoleOptions): Server {
  const { apiUrl, objectsEndpoint, render, files, log, proxyCount = 0, consoleToken } = options;
  const proxy = createProxy(apiUrl);
  const streamLiveGrid = createLiveGridStream(apiUrl, log);

  const sendPage = async (request: IncomingMessage, response: ServerResponse) => {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const nonce = randomBytes(16).toString('base64');
    const timeoutMs = request.method === 'POST' ? ACTION_TIMEOUT_MS : PAGE_TIMEOUT_MS;
    const webRequest = toWebRequest(request, AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)]));
    const page = await render(webRequest, { apiUrl, nonce, objectsEndpoint });
    for (const [name, value] of pageHeaders(nonce, objectsEndpoint)) page.headers.set(name, value);
    await sendWebResponse(page, response, request.headers['accept-encoding']);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    if (path === '/healthz') return void sendText(response, 200, 'ok');
    if (isCrossOrigin(request)) return void sendText(response, 403, 'Cross-site request blocked.');
    if (path.startsWith(apiPrefix)) return proxy(request, response);
    if (path === LIVE_GRID_PATH) return streamLiveGrid(request, response);
    if (files.send(path, request, response)) return;
    await sendPage(request, response);
  };

  return createServer((request, response) => {
    trustForwarded(request, { proxyCount, consoleToken });
    handle(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      log.error({ path: request.url?.split('?', 1)[0], error: String(error) }, 'request failed');
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'Internal error. See the log of the console server.');
    });
  });
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(text);
}
