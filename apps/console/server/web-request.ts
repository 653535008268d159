import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

/** Converts a Node request to a web request. @param signal aborted when the client disconnects */
export function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers } = request;
  const requestHeaders = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const headerValue of [value ?? []].flat()) requestHeaders.append(name, headerValue);
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`${scheme}://${headers.host ?? 'console'}${request.url ?? '/'}`, {
    method,
    headers: requestHeaders,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  });
}

/** Sends a web response, compressed if the client accepts it. Chunks are sent as they arrive. */
export async function sendWebResponse(webResponse: Response, response: ServerResponse, encodings = ''): Promise<void> {
  const compressed = webResponse.body !== null && /\bgzip\b/.test(String(encodings)) && isText(webResponse);
  const headers: Record<string, string | string[]> = Object.fromEntries(webResponse.headers);
  const cookies = webResponse.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (compressed) Object.assign(headers, { 'content-encoding': 'gzip', vary: 'accept-encoding' });
  response.writeHead(webResponse.status, headers);
  if (!webResponse.body) return void response.end();
  const body = Readable.fromWeb(webResponse.body as Parameters<typeof Readable.fromWeb>[0]);
  if (compressed) await pipeline(body, createGzip({ level: 4, flush: constants.Z_SYNC_FLUSH }), response);
  else await pipeline(body, response);
}

const isText = ({ headers }: Response) =>
  /^(text\/|application\/json)|x-script/.test(headers.get('content-type') ?? '');
