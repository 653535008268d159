import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseHost, type EgressProxy, type EgressPolicy, type HostPort } from '@pilothouse/core';
import { checkDestination, type AllowedDestination, type DestinationCheckDeps } from './destination-check.ts';
import { connectUpstream } from './upstream-dial.ts';
import { UpstreamError, connectSocks5, connectionFailureReason } from './upstream-proxy.ts';
import { forwardRequest, UpstreamAgent, MAX_HEADER_BYTES } from './http-forward.ts';
import { waitUntilAllowed, type RunPermission } from './pausable-stream.ts';
import { respondToConnect, requestTunnel, pipeBothWays, parseAuthority } from './connect-tunnel.ts';

/** A proxy on a port of its own. The port identifies the run: only the browser of that run uses it. */
export class EgressGate implements EgressProxy {
  readonly url: string;
  readonly port: number;
  /** Called when the port is free again. */
  onClose = () => {};
  private readonly server: Server;
  private readonly parts: DestinationCheckDeps;
  private readonly ended = new AbortController();
  private readonly sockets = new Set<Duplex>();
  private readonly lines = new WeakMap<Socket, Map<string, UpstreamAgent>>();
  private pass: EgressPolicy | null = null;

  /** Opens a gate on a free local port. */
  static async open(parts: DestinationCheckDeps): Promise<EgressGate> {
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      headersTimeout: 0,
      noDelay: true,
    });
    // The browser decides how long connections stay open. Closing one here would race with its next request.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new EgressGate(server, parts);
  }

  private constructor(server: Server, parts: DestinationCheckDeps) {
    this.server = server;
    this.parts = parts;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    server.on('connection', (socket) => this.keep(socket));
    server.on('connect', (request, near) => void this.tunnel(request, near));
    server.on('request', (request, response) => void this.exchange(request, response));
    server.on('clientError', (_error, socket) => socket.destroy());
  }

  bind(pass: EgressPolicy): void {
    if (this.pass) throw new Error('The gate is bound already');
    this.pass = pass;
    if (pass.signal.aborted) return this.end();
    const onAbort = () => this.end();
    pass.signal.addEventListener('abort', onAbort, { once: true, signal: this.ended.signal });
  }

  async close(): Promise<void> {
    this.end();
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.onClose();
  }

  /** Refuses all further traffic. */
  private end(): void {
    if (!this.ended.signal.aborted) this.ended.abort(new Error('The gate is closed'));
    for (const socket of this.sockets) socket.destroy();
  }

  private async tunnel(request: IncomingMessage, near: Duplex): Promise<void> {
    near.on('error', () => near.destroy());
    const place = parseAuthority(request);
    const clearance = place && (await this.cleared(place));
    const { pass } = this;
    if (!place || !clearance || !pass) return respondToConnect(near, '403 Forbidden');
    try {
      const far = await this.reach(clearance, place);
      if (near.destroyed) return void far.destroy();
      if (clearance.upstream?.kind === 'http') {
        const rest = await requestTunnel(far, `${place.host}:${place.port}`, clearance.upstream).catch(
          (thrown: unknown) => {
            far.destroy();
            throw thrown;
          },
        );
        if (rest.length > 0) far.unshift(rest);
      }
      respondToConnect(near, '200 Connection Established');
      pipeBothWays(near, far, pass);
    } catch (thrown) {
      this.failed(place, thrown);
      respondToConnect(near, '502 Bad Gateway');
    }
  }

  /**
   * Handles a plain HTTP request. A refused or failed request gets no response, because the browser would take an
   * error page for a page of the site.
   */
  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const target = URL.parse(request.url ?? '');
    const host = target?.protocol === 'http:' ? parseHost(target.hostname) : null;
    if (!target || host === null) {
      response.writeHead(400).end();
      return;
    }
    const place = { host, port: target.port === '' ? 80 : Number(target.port) };
    const clearance = await this.cleared(place);
    const { pass: leave } = this;
    if (!clearance || !leave) return void socket.destroy();
    try {
      // A connection through a SOCKS proxy leads to the site itself.
      const upstream = clearance.upstream?.kind === 'http' ? clearance.upstream : null;
      await forwardRequest(request, response, target, this.line(socket, place, clearance, leave), { upstream, leave });
    } catch (thrown) {
      this.failed(place, thrown);
      socket.destroy();
    }
  }

  /** The upstream side of a browser connection, one for each host. */
  private line(near: Socket, place: HostPort, clearance: AllowedDestination, leave: RunPermission): UpstreamAgent {
    const lines = this.lines.get(near) ?? new Map<string, UpstreamAgent>();
    this.lines.set(near, lines);
    const key = `${place.host}:${place.port}`;
    const line = lines.get(key) ?? new UpstreamAgent(near);
    lines.set(key, line);
    line.dial = async () => {
      const far = await this.reach(clearance, place);
      await waitUntilAllowed(leave);
      return far;
    };
    return line;
  }

  private async cleared(place: HostPort): Promise<AllowedDestination | null> {
    const { pass } = this;
    if (!pass || this.ended.signal.aborted) return null;
    try {
      const said = await checkDestination(place, pass, this.parts);
      if ('clearance' in said) return said.clearance;
      if ('refusal' in said) pass.onRefused(said.refusal);
      else pass.onFailed({ ...said.place, reason: said.failure });
    } catch (thrown) {
      this.failed(
        place,
        thrown instanceof UpstreamError ? thrown : new UpstreamError('the proxy of the run is not known'),
      );
    }
    return null;
  }

  /** Connects to the destination, or to the HTTP proxy that forwards to it. */
  private async reach(clearance: AllowedDestination, place: HostPort): Promise<Socket> {
    const far = await connectUpstream(clearance, this.ended.signal);
    this.keep(far);
    return clearance.upstream?.kind === 'socks' ? connectSocks5(far, place, clearance.upstream) : far;
  }

  private failed({ host, port }: HostPort, thrown: unknown): void {
    if (!this.ended.signal.aborted) this.pass?.onFailed({ host, port, reason: connectionFailureReason(thrown) });
  }

  private keep(socket: Duplex): void {
    if (this.ended.signal.aborted) return void socket.destroy();
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
