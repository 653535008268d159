import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HttpProxy, UpstreamError } from './upstream-proxy.ts';
import { PausableStream, waitUntilAllowed, type RunPermission } from './pausable-stream.ts';
import { upstreamFailure } from './connect-tunnel.ts';

/** Largest head of a message, in bytes: as much as Chromium takes. */
export const MAX_HEADER_BYTES = 262_144;

/** What belongs to one connection and goes no further (RFC 9110, section 7.6.1), and what is said anew here. */
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

/** The headers of a message that go on. */
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
 * The far end of one connection of the browser, which uses one for each host: kept as long as both keep it. When the site closes, the
 * browser's connection is closed too, so that it sends again by itself what met a connection on its way out.
 */
export class UpstreamAgent extends Agent {
  private readonly near: Socket;
  /** Opens the connection to the site, to addresses that were checked for the request at hand. */
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

  /** Counts an exchange; to be followed by `finished`. */
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
 * Sends a request on, and its answer back.
 * @param target the absolute address of the request
 * @throws what dialling throws; UpstreamError; the system's error, when no answer came; why the run may not act any more
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
      // Sites send what the standard forbids, and browsers read it.
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
  // One of the two went away in the middle: the other learns it by the end of its connection.
  await pipeline(came, response).catch(() => response.destroy());
}
