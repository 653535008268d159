import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Orders } from './data/orders.data.ts';
import { Sessions } from './data/accounts.data.ts';
import { answer } from './answer-request.ts';
import { send } from './site-responses.ts';
import type { SiteState } from './site-route.ts';
import { Ledger } from './ledger.ts';
import { routes } from './site-router.ts';

/** `port` 0 (default): any free port; `host` defaults to 127.0.0.1; `now` is the clock of orders and ledger. */
export interface SiteOptions {
  port?: number;
  host?: string;
  now?: () => Date;
}

/** A running site. `url` has no trailing slash. */
export interface Site {
  url: string;
  ledger: Ledger;
  close(): Promise<void>;
}

/**
 * Starts the supplier portal. Its state is in memory and initially empty.
 * Rejects with the error of `listen` (`EADDRINUSE`, ...) if the address is unavailable.
 */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const { port = 0, host = '127.0.0.1', now = () => new Date() } = options;
  const ledger = new Ledger(now);
  const state: SiteState = { ledger, now, orders: new Orders(now), sessions: new Sessions() };
  const closing = new AbortController();
  const server = createServer((request, response) => void serve(state, request, response, closing.signal));
  await listen(server, port, host);
  return { url: addressOf(server, host), ledger, close: closeOnce(server, closing) };
}

async function serve(state: SiteState, request: IncomingMessage, response: ServerResponse, closing: AbortSignal) {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const reply = await answer(routes, state, request, AbortSignal.any([closing, disconnected.signal]));
  if (!response.destroyed) send(response, reply);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Returns the URL for browsers on this machine. Wildcard addresses become loopback addresses. */
function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function closeOnce(server: Server, closing: AbortController): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= new Promise((resolve) => {
      server.close(() => resolve());
      closing.abort();
      server.closeAllConnections();
    });
    return result;
  };
}

export { DEMO_ACCOUNT } from './data/accounts.data.ts';
export type { Ledger, LedgerEntry, LedgerKind } from './ledger.ts';
