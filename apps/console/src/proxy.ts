import { request as askHttp, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as askHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { objectHeaders } from './headers.ts';
import { apiPrefix } from './prefix.ts';
import { identityOf } from './session.ts';

/** Milliseconds until the API has begun its answer: a read of a run may wait a minute for its end. */
const answerMs = 90_000;

/** Milliseconds without a byte after which a connection is dead: streams of events say something every few seconds. */
const silentMs = 60_000;

/** Headers of one connection only (RFC 9110, 7.6.1), and what is said anew. */
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
  // The console's own; the API is told in its own words.
  'cookie',
]);

/** Passes requests on to the API, byte by byte as they come, and ends the one when the other ends. */
export function createProxy(apiUrl: string) {
  const ask = apiUrl.startsWith('https:') ? askHttps : askHttp;

  return (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    new Promise((resolve) => {
      const headers = {
        ...passedOn(request.headers),
        ...identityOf(request.headers.cookie),
      };
      const asked = ask(apiUrl + (request.url ?? '').slice(apiPrefix.length - '/v1/'.length), {
        method: request.method,
        headers,
      });
      const late = setTimeout(() => asked.destroy(new Error(`no answer within ${answerMs} ms`)), answerMs);
      asked.setTimeout(silentMs + answerMs, () => asked.destroy(new Error('nothing came')));
      response.once('close', () => {
        clearTimeout(late);
        asked.destroy();
        resolve();
      });
      asked.once('response', (answer) => {
        clearTimeout(late);
        answer.setTimeout(silentMs, () => answer.destroy());
        response.writeHead(answer.statusCode ?? 502, { ...passedOn(answer.headers), ...guardsOf(request.url) });
        // Headers go out at once: the first event of a stream may be long in coming.
        response.flushHeaders();
        pipeline(answer, response).catch(() => response.destroy());
      });
      asked.once('error', (error) => {
        clearTimeout(late);
        if (response.headersSent || response.destroyed) return void response.destroy();
        const body = JSON.stringify(unavailable(error));
        response.writeHead(502, { 'content-type': 'application/problem+json' }).end(body);
      });
      pipeline(request, asked).catch(() => asked.destroy());
    });
}

const guardsOf = (url = '') =>
  url.startsWith(`${apiPrefix}objects/`) ? objectHeaders : { 'x-content-type-options': 'nosniff' };

const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));

/** A problem as the API would say it (RFC 9457). */
const unavailable = (error: Error) => ({
  type: 'about:blank',
  title: 'The API does not answer',
  status: 502,
  detail: `The console does not reach the API (${error.message}). Is it running?`,
  code: 'UNAVAILABLE',
  retry: 'same-request',
});
