import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { RouteDefinition, RouteInput, RouteOutput } from '@pilothouse/contract/api/route-definition';
import type { ApiKeyView } from '@pilothouse/contract/project/api-key.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { User } from '@pilothouse/contract/project/user.schema';
import type { ActiveSession, ProjectSummary } from '@pilothouse/infra-db';
import type { HttpResponse } from './http-response.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The authenticated caller in a project: an API key or a signed-in user. */
export interface Caller {
  /** Name of the key, or e-mail address of the user. */
  readonly name: string;
  readonly role: Role;
  readonly project: ProjectSummary;
  /** The key; null for a user. */
  readonly key: ApiKeyView | null;
  /** The user; null for a key. */
  readonly user: User | null;
}

/** Returns the actor of a caller for records. Returns null for Pilothouse itself. */
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

/** A signed-in user without a project. */
export interface SignedInUser extends ActiveSession {
  /** The cookie's value. */
  readonly token: string;
}

/** Facts for the audit entry of a request that only its handler knows. */
export interface AuditFacts {
  /** The user whom a public request signed in. */
  actor?: User;
  /** The changed resource before the change. */
  previous?: object;
}

/** The request itself, for the few handlers that need more than its validated parts. */
export interface HttpRequest {
  /** The id in logs. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
  /** Address of the client, as reported by trusted proxies. */
  readonly address: string;
  /** Origin of the request, such as `https://fleet.example.com`, as reported by trusted proxies. */
  readonly origin: string;
  /** Filled by the handler, read by the audit interceptor. */
  readonly audit: AuditFacts;
}

/** The caller of a route with this role. */
type CallerOf<Access extends RouteDefinition['role']> = Access extends 'public'
  ? undefined
  : Access extends 'user'
    ? SignedInUser
    : Caller;

/** A request to a route, its parts validated by the schemas of the route. */
export type RouteRequest<Route extends RouteDefinition> = RouteInput<Route> & {
  readonly caller: CallerOf<Route['role']>;
  /** The original text of a YAML body. */
  readonly yaml: string | null;
  /** Aborts when the client disconnects, the time limit of the route expires, or the process stops. */
  readonly signal: AbortSignal;
  readonly request: HttpRequest;
};

/** A validated request to any route. */
export interface ValidatedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly caller: Caller | SignedInUser | undefined;
  readonly yaml: string | null;
  readonly signal: AbortSignal;
  readonly request: HttpRequest;
}

/** Repeats the access check of a request that is still being answered. */
export interface AccessCheck {
  /**
   * Checks that key or session are valid and that the role suffices.
   * @param project id of the project of the first check; null without a project
   * @returns the error; null if access is granted or the database cannot tell
   */
  accessError(request: FastifyRequest, route: RouteDefinition, project: string | null): Promise<Error | null>;
}

/** The result of a handler: the body for the first status of the route, or a complete response. */
export type RouteResult<Route extends RouteDefinition> = RouteOutput<Route> | HttpResponse<RouteOutput<Route>>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard; null for a public route. */
    caller: Caller | SignedInUser | null;
    /** Set by the route interceptor: the validated request. */
    routeRequest: ValidatedRequest | null;
  }
}

/** Declares the properties that the guard and the interceptors set on a request. */
export function decorateRequests(instance: FastifyInstance): void {
  instance.decorateRequest('caller', null);
  instance.decorateRequest('routeRequest', null);
}

/** Returns scheme, host and port of a request, as reported by trusted proxies. */
export const requestOrigin = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;
