import { Agent, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HttpProxy, UpstreamError } from './upstream-proxy.ts';
import { PausableStream, waitUntilAllowed, type RunPermission } from './pausable-stream.ts';
import { upstreamFailure } from './connect-tunnel.ts';

/** Maximum size of a message head in bytes, as in Chromium. */
export const MAX_HEADER_BYTES = 262_144;

/** Hop-by-hop headers, which are not forwarded (RFC 9110, section 7.6.1), and headers that are set here. */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authorization',
  'proxy-authenticate',
]);

/** Returns the headers to forward. */
function filterHeaders(rawHeaders: readonly string[], ...exclude: readonly string[]): string[] {
  const excluded = new Set([...HOP_BY_HOP_HEADERS, ...exclude]);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'connection') continue;
    for (const name of (rawHeaders[i + 1] ?? '').split(',')) excluded.add(name.trim().toLowerCase());
  }
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (!excluded.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/**
 * The upstream side of one browser connection, which uses one for each host. It stays open while both sides keep it
 * open. When the site closes, the browser connection is closed too, so that the browser repeats a request that was in
 * flight.
 */
export class UpstreamAgent extends Agent {
  private readonly clientSocket: Socket;
  /** Opens a connection to the site, to the addresses that were checked for the current request. */
  dial: () => Promise<Socket> = () => Promise.reject(new Error('no destination was checked'));
  private activeRequests = 0;
  private isServerClosed = false;

  constructor(clientSocket: Socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.clientSocket = clientSocket;
    clientSocket.once('close', () => this.destroy());
  }

  override createConnection(_options: object, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    this.dial().then(
      (serverSocket) => {
        serverSocket.once('close', () => {
          this.isServerClosed = true;
          this.closeIfDone();
        });
        callback?.(null, serverSocket);
      },
      (error: Error) => callback?.(error, this.clientSocket),
    );
  }

  /** Counts an exchange. Call `finished` afterwards. */
  onRequestStart(): void {
    this.isServerClosed = false;
    this.activeRequests += 1;
  }

  onRequestEnd(): void {
    this.activeRequests -= 1;
    this.closeIfDone();
  }

  private closeIfDone(): void {
    if (this.isServerClosed && this.activeRequests === 0) this.clientSocket.end();
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Forwards a request and its response.
 * @param target absolute URL of the request
 * @throws connection errors; UpstreamError; the system error when there is no response; the reason why the run may not
 * act
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  agent: UpstreamAgent,
  { upstream, permission }: { upstream: HttpProxy | null; permission: RunPermission },
): Promise<void> {
  await waitUntilAllowed(permission);
  agent.onRequestStart();
  response.once('close', () => agent.onRequestEnd());
  const upstreamResponse = await new Promise<IncomingMessage>((resolve, reject) => {
    const upstreamRequest = sendRequest({
      agent,
      host: target.hostname,
      port: target.port === '' ? 80 : Number(target.port),
      method: request.method,
      path: upstream ? target.href : `${target.pathname}${target.search}`,
      headers: [
        'Host',
        target.host,
        ...filterHeaders(request.rawHeaders, 'host'),
        ...(upstream?.authorization ? ['Proxy-Authorization', upstream.authorization] : []),
      ],
      maxHeaderSize: MAX_HEADER_BYTES,
      // Sites send headers that violate the standard, and browsers accept them.
      insecureHTTPParser: true,
    });
    upstreamRequest.once('response', resolve);
    upstreamRequest.once('error', reject);
    response.once('close', () => upstreamRequest.destroy());
    (hasBody(request)
      ? request.pipe(new PausableStream(permission).on('error', () => upstreamRequest.destroy()))
      : request
    ).pipe(upstreamRequest);
  });
  if (upstream && upstreamResponse.statusCode === 407) {
    upstreamResponse.resume();
    throw new UpstreamError(upstreamFailure(407));
  }
  response.writeHead(
    upstreamResponse.statusCode ?? 502,
    upstreamResponse.statusMessage,
    filterHeaders(upstreamResponse.rawHeaders),
  );
  // One side disconnected in the middle: closing the connection informs the other side.
  await pipeline(upstreamResponse, response).catch(() => response.destroy());
}
