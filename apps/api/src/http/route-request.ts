import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Actor, ApiKeyView, Role, RouteDefinition, RouteInput, RouteOutput, User } from '@pilothouse/contract';
import type { ActiveSession, ProjectSummary } from '@pilothouse/infra-db';
import type { HttpResponse } from './http-response.ts';
import type { FastifyRequest } from 'fastify';

/** Who asks, as what, in which project: an API key, or a user who is signed in. */
export interface Caller {
  /** Name of the key or address of the user, for people. */
  readonly name: string;
  readonly role: Role;
  readonly project: ProjectSummary;
  /** The key; null for a user. */
  readonly key: ApiKeyView | null;
  /** The user; null for a key. */
  readonly user: User | null;
}

/** The user or key of a caller, as records name it; null: Pilothouse itself. */
export function actorFrom({
  user,
  key,
}: {
  user: User | null;
  key: Pick<ApiKeyView, 'id' | 'name'> | null;
}): Actor | null {
  if (user) return { kind: 'user', id: user.id, name: user.email };
  return key && { kind: 'key', id: key.id, name: key.name };
}

/** A user who is signed in, in no project. */
export interface SignedInUser extends ActiveSession {
  /** The cookie's value. */
  readonly token: string;
}

/** The request itself, for the few handlers that need more than its checked parts. */
export interface HttpRequest {
  /** As the logs name it. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
  /** Address of the client, as far as trusted proxies tell it. */
  readonly address: string;
  /** Where the client's browser asked, e.g. `https://fleet.example.com`, as far as trusted proxies tell it. */
  readonly origin: string;
}

/** Who may ask for a route of this role. */
type CallerOf<Access extends RouteDefinition['role']> = Access extends 'public'
  ? undefined
  : Access extends 'user'
    ? SignedInUser
    : Caller;

/** A request to a route, its parts checked by the route's schemas. */
export type RouteRequest<Route extends RouteDefinition> = RouteInput<Route> & {
  readonly caller: CallerOf<Route['role']>;
  /** The body as it was written, where it came as YAML. */
  readonly yaml: string | null;
  /** Aborts when the client goes away, the time of the route is up, or the process is to stop. */
  readonly signal: AbortSignal;
  readonly request: HttpRequest;
};

/** What a handler may give: the body for the route's first status, or a whole answer. */
export type RouteResult<Route extends RouteDefinition> = RouteOutput<Route> | HttpResponse<RouteOutput<Route>>;

const callers = new WeakMap<object, Caller | SignedInUser>();
const actors = new WeakMap<HttpRequest, User>();
const befores = new WeakMap<HttpRequest, object>();
const calls = new WeakMap<object, object>();

/** Keeps what the guard found, for the time of the request. */
export const setCaller = (request: object, caller: Caller | SignedInUser): void => void callers.set(request, caller);
export const getCaller = (request: object): Caller | SignedInUser | undefined => callers.get(request);

/** Keeps who a public request turned out to be of. */
export const setActor = (request: HttpRequest, user: User): void => void actors.set(request, user);
export const getActor = (request: HttpRequest): User | undefined => actors.get(request);

/** Keeps what the thing that a request changes was before, for the audit log. */
export const rememberBefore = (request: HttpRequest, value: object): void => void befores.set(request, value);
export const beforeOf = (request: HttpRequest): object | undefined => befores.get(request);

/** Keeps the checked request for the handler's parameter. */
export const setRouteRequest = (request: object, call: object): void => void calls.set(request, call);
export const getRouteRequest = (request: object): object | undefined => calls.get(request);

/** Where a browser asked: scheme, host and port, as far as trusted proxies tell them. */
export const requestOrigin = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;
