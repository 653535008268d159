import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientUserOf } from './client-user.ts';
import { parseHost, type HostPort } from '@pilothouse/core/egress/host-rules';
import type { EgressProxy, EgressPolicy } from '@pilothouse/core/ports/egress.port';
import { checkDestination, type AllowedDestination, type DestinationCheckDeps } from './destination-check.ts';
import { connectUpstream } from './upstream-dial.ts';
import { UpstreamError, connectSocks5, connectionFailureReason } from './upstream-proxy.ts';
import { forwardRequest, UpstreamAgent, MAX_HEADER_BYTES } from './http-forward.ts';
import { waitUntilAllowed, type RunPermission } from './pausable-stream.ts';
import { respondToConnect, requestTunnel, pipeBidirectional, parseAuthority } from './connect-tunnel.ts';

/** Connections of a run. Each connection of a slot costs a read of the table of sockets, and programs are not trusted. */
const MAX_CONNECTIONS = 256;

/** A proxy on a dedicated port. The port identifies the run: only the browser of that run uses it. */
export class RunProxy implements EgressProxy {
  readonly url: string;
  readonly port: number;
  /** Called when the port is free again. */
  onClose = () => {};
  private readonly server: Server;
  private readonly deps: DestinationCheckDeps;
  private readonly endController = new AbortController();
  private readonly sockets = new Set<Duplex>();
  private readonly agents = new WeakMap<Socket, Map<string, UpstreamAgent>>();
  private policy: EgressPolicy | null = null;

  /**
   * Opens a proxy on a free local port.
   * @param clientUid the only user whose connections it accepts; null: all users
   */
  static async open(deps: DestinationCheckDeps, clientUid: number | null = null): Promise<RunProxy> {
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      headersTimeout: 0,
      noDelay: true,
    });
    // The browser decides how long connections stay open. Closing one here would race with its next request.
    server.keepAliveTimeout = 0;
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new RunProxy(server, deps, clientUid);
  }

  private constructor(server: Server, deps: DestinationCheckDeps, clientUid: number | null) {
    this.server = server;
    this.deps = deps;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    server.on('connection', (socket) => {
      if (clientUid === null || clientUserOf(socket) === clientUid) this.track(socket);
      else socket.destroy();
    });
    server.on('connect', (request, clientSocket) => void this.tunnel(request, clientSocket));
    server.on('request', (request, response) => void this.forward(request, response));
    server.on('clientError', (_error, socket) => socket.destroy());
  }

  bind(policy: EgressPolicy): void {
    if (this.policy) throw new Error('The egress proxy is already bound');
    this.policy = policy;
    if (policy.signal.aborted) return this.end();
    const onAbort = () => this.end();
    policy.signal.addEventListener('abort', onAbort, { once: true, signal: this.endController.signal });
  }

  async close(): Promise<void> {
    this.end();
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.onClose();
  }

  /** Refuses all further traffic. */
  private end(): void {
    if (!this.endController.signal.aborted) this.endController.abort(new Error('The egress proxy is closed'));
    for (const socket of this.sockets) socket.destroy();
  }

  private async tunnel(request: IncomingMessage, clientSocket: Duplex): Promise<void> {
    clientSocket.on('error', () => clientSocket.destroy());
    const destination = parseAuthority(request);
    const allowed = destination && (await this.findAllowedDestination(destination));
    const { policy } = this;
    if (!destination || !allowed || !policy) return respondToConnect(clientSocket, '403 Forbidden');
    try {
      const serverSocket = await this.connect(allowed, destination);
      if (clientSocket.destroyed) return void serverSocket.destroy();
      if (allowed.upstream?.kind === 'http') {
        const followingBytes = await requestTunnel(
          serverSocket,
          `${destination.host}:${destination.port}`,
          allowed.upstream,
        ).catch((error: unknown) => {
          serverSocket.destroy();
          throw error;
        });
        if (followingBytes.length > 0) serverSocket.unshift(followingBytes);
      }
      respondToConnect(clientSocket, '200 Connection Established');
      pipeBidirectional(clientSocket, serverSocket, policy);
    } catch (error) {
      this.reportFailure(destination, error);
      respondToConnect(clientSocket, '502 Bad Gateway');
    }
  }

  /**
   * Handles a plain HTTP request. A refused or failed request gets no response, because the browser would take an
   * error page for a page of the site.
   */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const target = URL.parse(request.url ?? '');
    const host = target?.protocol === 'http:' ? parseHost(target.hostname) : null;
    if (!target || host === null) {
      response.writeHead(400).end();
      return;
    }
    const destination = { host, port: target.port === '' ? 80 : Number(target.port) };
    const allowed = await this.findAllowedDestination(destination);
    const { policy } = this;
    if (!allowed || !policy) return void socket.destroy();
    try {
      // A connection through a SOCKS proxy leads to the site itself.
      const upstream = allowed.upstream?.kind === 'http' ? allowed.upstream : null;
      await forwardRequest(request, response, target, this.agentFor(socket, destination, allowed, policy), {
        upstream,
        permission: policy,
      });
    } catch (error) {
      this.reportFailure(destination, error);
      socket.destroy();
    }
  }

  /** The upstream side of a browser connection, one for each host. */
  private agentFor(
    clientSocket: Socket,
    destination: HostPort,
    allowed: AllowedDestination,
    permission: RunPermission,
  ): UpstreamAgent {
    const agents = this.agents.get(clientSocket) ?? new Map<string, UpstreamAgent>();
    this.agents.set(clientSocket, agents);
    const key = `${destination.host}:${destination.port}`;
    const agent = agents.get(key) ?? new UpstreamAgent(clientSocket);
    agents.set(key, agent);
    agent.dial = async () => {
      const serverSocket = await this.connect(allowed, destination);
      await waitUntilAllowed(permission);
      return serverSocket;
    };
    return agent;
  }

  private async findAllowedDestination(destination: HostPort): Promise<AllowedDestination | null> {
    const { policy } = this;
    if (!policy || this.endController.signal.aborted) return null;
    try {
      const verdict = await checkDestination(destination, policy, this.deps);
      if ('allowed' in verdict) return verdict.allowed;
      if ('refusal' in verdict) policy.onBlocked(verdict.refusal);
      else policy.onFailed({ ...verdict.destination, reason: verdict.failure });
    } catch (error) {
      this.reportFailure(
        destination,
        error instanceof UpstreamError ? error : new UpstreamError('the proxy of the run is not known'),
      );
    }
    return null;
  }

  /** Connects to the destination, or to the HTTP proxy that forwards to it. */
  private async connect(allowed: AllowedDestination, destination: HostPort): Promise<Socket> {
    const serverSocket = await connectUpstream(allowed, this.endController.signal);
    this.track(serverSocket);
    return allowed.upstream?.kind === 'socks'
      ? connectSocks5(serverSocket, destination, allowed.upstream)
      : serverSocket;
  }

  private reportFailure({ host, port }: HostPort, error: unknown): void {
    if (!this.endController.signal.aborted)
      this.policy?.onFailed({ host, port, reason: connectionFailureReason(error) });
  }

  private track(socket: Duplex): void {
    if (this.endController.signal.aborted) return void socket.destroy();
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
