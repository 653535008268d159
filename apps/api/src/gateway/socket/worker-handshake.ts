import type { IncomingMessage } from 'node:http';
import { findFleetByToken, type GatewayFleet, type Pool } from '@pilothouse/infra-db';

/** Reason why a socket is rejected. */
export interface HandshakeRejection {
  status: 401 | 403 | 503;
  reason: string;
}

/**
 * Decides who may open a worker socket: a fleet token in `Authorization: Bearer`, and no `Origin`. A browser sends an Origin
 * with every socket, a worker never does; so a page in a worker's browser cannot impersonate the worker.
 */
export class WorkerHandshake {
  private readonly fleets = new WeakMap<IncomingMessage, GatewayFleet>();
  /** Pending look-ups by token. Workers that reconnect at the same time share one. */
  private readonly pendingLookups = new Map<string, Promise<GatewayFleet | null>>();

  /** @param hashToken as the tokens are stored */
  constructor(
    private readonly pool: Pool,
    private readonly hashToken: (token: string) => string,
  ) {}

  /** @returns null when the socket may open */
  async verify(request: IncomingMessage): Promise<HandshakeRejection | null> {
    if (request.headers.origin !== undefined) return { status: 403, reason: 'Sockets from web pages are not allowed' };
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!token) return { status: 401, reason: 'Send the fleet token as Authorization: Bearer' };
    try {
      const fleet = await this.findFleet(this.hashToken(token));
      if (!fleet) return { status: 401, reason: 'The fleet token is invalid' };
      this.fleets.set(request, fleet);
      return null;
    } catch {
      return { status: 503, reason: 'The database is unavailable; try again' };
    }
  }

  private findFleet(hash: string): Promise<GatewayFleet | null> {
    const pendingLookups =
      this.pendingLookups.get(hash) ??
      findFleetByToken(this.pool, hash).finally(() => this.pendingLookups.delete(hash));
    this.pendingLookups.set(hash, pendingLookups);
    return pendingLookups;
  }

  /** The fleet whose token opened the socket of this request. */
  fleetOf(request: IncomingMessage): GatewayFleet | undefined {
    return this.fleets.get(request);
  }
}
