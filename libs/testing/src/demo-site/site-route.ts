import type { IncomingHttpHeaders } from 'node:http';
import type { Orders } from './data/orders.data.ts';
import type { Session, Sessions } from './data/accounts.data.ts';
import type { Ledger, LedgerKind } from './ledger.ts';
import type { Reply } from './site-responses.ts';

/** State of a running site. */
export interface SiteState {
  ledger: Ledger;
  orders: Orders;
  sessions: Sessions;
  now: () => Date;
}

/** One request, as pages receive it. */
export interface SiteRequest {
  method: string;
  path: string;
  /** Path and query, for the redirect after a login. */
  target: string;
  query: URLSearchParams;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  session: Session | null;
  /** The session cookie as sent, valid or not. */
  token: string | undefined;
  /** Aborts when the client disconnects or the site closes. */
  signal: AbortSignal;
  form(): Promise<FormData>;
  /** Writes to the ledger with method, path and session of this request. */
  record(kind: LedgerKind, detail: Record<string, unknown>): void;
}

/** A request of a route with access `session`, which has a session. */
export type MemberRequest = SiteRequest & { session: Session };

interface RouteBase {
  method: 'GET' | 'POST' | 'DELETE';
  /** `/orders/:id`; `:name` matches one segment. */
  path: string;
  /** `page` is counted as a visit in the ledger, `data` is not. */
  shape: 'page' | 'data';
}

export type Route =
  | (RouteBase & { access: 'public'; handle: (request: SiteRequest, state: SiteState) => Reply | Promise<Reply> })
  | (RouteBase & { access: 'session'; handle: (request: MemberRequest, state: SiteState) => Reply | Promise<Reply> });

/** Returns the route for a method and path with its parameters, and the methods of the path for a 405. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route | undefined; params: Record<string, string>; methods: string[] } {
  const methods: string[] = [];
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (!params) continue;
    if (route.method === method) return { route, params, methods };
    methods.push(route.method);
  }
  return { route: undefined, params: {}, methods };
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const patternSegments = pattern.split('/');
  const pathSegments = path.split('/');
  if (patternSegments.length !== pathSegments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of patternSegments.entries()) {
    const value = pathSegments[index] ?? '';
    if (part.startsWith(':') && value !== '') params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
