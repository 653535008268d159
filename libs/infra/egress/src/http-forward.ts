import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HttpProxy, UpstreamError } from './upstream-proxy.ts';
import { PausableStream, waitUntilAllowed, type RunPermission } from './pausable-stream.ts';
import { upstreamFailure } from './connect-tunnel.ts';

/** Maximum size of a message head in bytes, as in Chromium. */
export const MAX_HEADER_BYTES = 262_144;

/** Hop-by-hop headers, which are not forwarded (RFC 9110, section 7.6.1), and headers that are set here. */
const own = new Set([
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
function passedOn(raw: readonly string[], ...without: readonly string[]): string[] {
  const left = new Set([...own, ...without]);
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[i + 1] ?? '').split(',')) left.add(name.trim().toLowerCase());
  }
  const passed: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    if (!left.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}

/**
 * The upstream side of one browser connection, which uses one for each host. It stays open while both sides keep it
 * open. When the site closes, the browser connection is closed too, so that the browser repeats a request that was in
 * flight.
 */
export class UpstreamAgent extends Agent {
  private readonly near: Socket;
  /** Opens a connection to the site, to the addresses that were checked for the current request. */
  dial: () => Promise<Socket> = () => Promise.reject(new Error('Nothing was checked'));
  private atWork = 0;
  private isOver = false;

  constructor(near: Socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.near = near;
    near.once('close', () => this.destroy());
  }

  override createConnection(_options: object, done?: (error: Error | null, stream: Duplex) => void): undefined {
    this.dial().then(
      (far) => {
        far.once('close', () => {
          this.isOver = true;
          this.rest();
        });
        done?.(null, far);
      },
      (thrown: Error) => done?.(thrown, this.near),
    );
  }

  /** Counts an exchange. Call `finished` afterwards. */
  began(): void {
    this.isOver = false;
    this.atWork += 1;
  }

  finished(): void {
    this.atWork -= 1;
    this.rest();
  }

  private rest(): void {
    if (this.isOver && this.atWork === 0) this.near.end();
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
  line: UpstreamAgent,
  { upstream, leave }: { upstream: HttpProxy | null; leave: RunPermission },
): Promise<void> {
  await waitUntilAllowed(leave);
  line.began();
  response.once('close', () => line.finished());
  const came = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = ask({
      agent: line,
      host: target.hostname,
      port: target.port === '' ? 80 : Number(target.port),
      method: request.method,
      path: upstream ? target.href : `${target.pathname}${target.search}`,
      headers: [
        'Host',
        target.host,
        ...passedOn(request.rawHeaders, 'host'),
        ...(upstream?.authorization ? ['Proxy-Authorization', upstream.authorization] : []),
      ],
      maxHeaderSize: MAX_HEADER_BYTES,
      // Sites send headers that violate the standard, and browsers accept them.
      insecureHTTPParser: true,
    });
    sent.once('response', resolve);
    sent.once('error', reject);
    response.once('close', () => sent.destroy());
    (hasBody(request) ? request.pipe(new PausableStream(leave).on('error', () => sent.destroy())) : request).pipe(sent);
  });
  if (upstream && came.statusCode === 407) {
    came.resume();
    throw new UpstreamError(upstreamFailure(407));
  }
  response.writeHead(came.statusCode ?? 502, came.statusMessage, passedOn(came.rawHeaders));
  // One side disconnected in the middle: closing the connection informs the other side.
  await pipeline(came, response).catch(() => response.destroy());
}
