import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { createCsrfTokens } from './csrf.ts';
import { forwardedHeadersOf } from './client-address.ts';
import { objectHeaders } from './security-headers.ts';
import { apiPrefix } from './api-prefix.ts';
import { identityOf, type Identity } from './session-cookies.ts';

const CSRF_HEADER = 'pilothouse-csrf';

/** Milliseconds from the end of the request to response headers: reading a run can wait a minute for its end. */
const RESPONSE_TIMEOUT_MS = 90_000;

/** Milliseconds without data after which a connection is closed. Event streams send a heartbeat every few seconds. */
const IDLE_TIMEOUT_MS = 60_000;

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that the proxy sets itself. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  // Replaced by the identity for the API.
  'cookie',
  // Checked by the console server. The API may not know the origin of the console.
  'origin',
  'sec-fetch-site',
]);

/** Methods without side effects: the API requires no CSRF token. */
const safeMethods = new Set(['GET', 'HEAD']);

/**
 * Streams requests to the API. If one side ends, the other is ended. Requests of a session get its CSRF token, because
 * the caller has rejected foreign origins.
 */
export function createProxy(apiUrl: string) {
  const requestUpstream = apiUrl.startsWith('https:') ? requestHttps : requestHttp;
  const csrfTokenOf = createCsrfTokens(apiUrl);

  const csrfHeader = async (request: IncomingMessage, identity: Identity): Promise<Record<string, string>> => {
    if (safeMethods.has(request.method ?? 'GET') || request.headers[CSRF_HEADER] !== undefined) return {};
    const token = await csrfTokenOf(identity, forwardedHeadersOf(request));
    return token === undefined ? {} : { [CSRF_HEADER]: token };
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const identity = identityOf(request.headers.cookie);
    let csrf: Record<string, string>;
    try {
      csrf = await csrfHeader(request, identity);
    } catch (error) {
      return sendUnavailable(response, error);
    }
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      const headers = { ...endToEndHeaders(request.headers), ...identity, ...csrf };
      const upstream = requestUpstream(apiUrl + (request.url ?? '').slice(apiPrefix.length - '/v1/'.length), {
        method: request.method,
        headers,
      });
      let timeout: Timer | undefined;
      let hasResponse = false;
      // An upload takes as long as data arrives.
      upstream.once('finish', () => {
        if (hasResponse) return;
        timeout = systemTimers.setTimeout(
          () => upstream.destroy(new Error(`API timeout after ${RESPONSE_TIMEOUT_MS} ms`)),
          RESPONSE_TIMEOUT_MS,
        );
      });
      upstream.setTimeout(IDLE_TIMEOUT_MS + RESPONSE_TIMEOUT_MS, () =>
        upstream.destroy(new Error('API connection idle')),
      );
      response.once('close', () => {
        systemTimers.clearTimeout(timeout);
        upstream.destroy();
        resolve();
      });
      upstream.once('response', (upstreamResponse) => {
        hasResponse = true;
        systemTimers.clearTimeout(timeout);
        upstreamResponse.setTimeout(IDLE_TIMEOUT_MS, () => upstreamResponse.destroy());
        response.writeHead(upstreamResponse.statusCode ?? 502, {
          ...endToEndHeaders(upstreamResponse.headers),
          ...securityHeadersOf(request.url),
        });
        // Headers are sent at once: the first event of a stream may take long.
        response.flushHeaders();
        pipeline(upstreamResponse, response).catch(() => response.destroy());
      });
      upstream.once('error', (error) => {
        systemTimers.clearTimeout(timeout);
        sendUnavailable(response, error);
      });
      pipeline(request, upstream).catch(() => upstream.destroy());
    });
  };
}

function sendUnavailable(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response
    .writeHead(502, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify(unavailable(error instanceof Error ? error : new Error(String(error)))));
}

const securityHeadersOf = (url = '') =>
  url.startsWith(`${apiPrefix}objects/`) ? objectHeaders : { 'x-content-type-options': 'nosniff' };

const endToEndHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));

/** Problem in the format of the API (RFC 9457). */
const unavailable = (error: Error) => ({
  type: 'about:blank',
  title: 'API unavailable',
  status: 502,
  detail: `The console cannot reach the API (${error.message}). Check that it is running.`,
  code: 'UNAVAILABLE',
  retry: 'same-request',
});
