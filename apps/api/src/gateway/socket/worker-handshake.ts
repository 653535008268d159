import type { IncomingMessage } from 'node:http';
import { findWorkerCredential, type WorkerCredentialRecord, type Pool } from '@pilothouse/infra-db';

/** Reason why a socket is rejected. */
export interface HandshakeRejection {
  status: 401 | 403 | 503;
  reason: string;
}

/**
 * Decides who may open a worker socket: a valid token in `Authorization: Bearer`, and no `Origin`. A browser sends an Origin
 * with every socket, a worker never does; so a page in a worker's browser cannot impersonate the worker.
 */
export class WorkerHandshake {
  private readonly credentials = new WeakMap<IncomingMessage, WorkerCredentialRecord>();
  /** Pending look-ups by token. Workers that reconnect at the same time share one. */
  private readonly pendingLookups = new Map<string, Promise<WorkerCredentialRecord | null>>();

  /** @param hashToken as the tokens are stored */
  constructor(
    private readonly pool: Pool,
    private readonly hashToken: (token: string) => string,
  ) {}

  /** @returns null when the socket may open */
  async verify(request: IncomingMessage): Promise<HandshakeRejection | null> {
    if (request.headers.origin !== undefined) return { status: 403, reason: 'Sockets from web pages are not allowed' };
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!token) return { status: 401, reason: 'Send the token of the worker as Authorization: Bearer' };
    try {
      const credential = await this.findCredential(this.hashToken(token));
      if (!credential) return { status: 401, reason: 'The token is invalid' };
      this.credentials.set(request, credential);
      return null;
    } catch {
      return { status: 503, reason: 'The database is unavailable; try again' };
    }
  }

  private findCredential(hash: string): Promise<WorkerCredentialRecord | null> {
    const pendingLookups =
      this.pendingLookups.get(hash) ??
      findWorkerCredential(this.pool, hash).finally(() => this.pendingLookups.delete(hash));
    this.pendingLookups.set(hash, pendingLookups);
    return pendingLookups;
  }

  /** The credential that opened the socket of this request. */
  credentialOf(request: IncomingMessage): WorkerCredentialRecord | undefined {
    return this.credentials.get(request);
  }
}
