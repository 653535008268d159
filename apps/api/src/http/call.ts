import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RouteDefinition, RouteInput, RouteOutput } from '@pilothouse/contract';
import type { FoundKey } from '@pilothouse/infra-db';
import type { Answer } from './answer.ts';

/** Whose key a request came with. */
export type Caller = FoundKey;

/** The request itself, for the few handlers that need more than its checked parts. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
}

/** A request to a route, its parts checked by the route's schemas. */
export type Call<Route extends RouteDefinition> = RouteInput<Route> & {
  readonly caller: Route['role'] extends 'public' ? undefined : Caller;
  /** Aborts when the client goes away, the time of the route is up, or the process is to stop. */
  readonly signal: AbortSignal;
  readonly request: RawRequest;
};

/** What a handler may give: the body for the route's first status, or a whole answer. */
export type Result<Route extends RouteDefinition> = RouteOutput<Route> | Answer<RouteOutput<Route>>;

const callers = new WeakMap<object, Caller>();
const calls = new WeakMap<object, object>();

/** Keeps what the guard found, for the time of the request. */
export const rememberCaller = (request: object, caller: Caller): void => void callers.set(request, caller);
export const callerOf = (request: object): Caller | undefined => callers.get(request);

/** Keeps the checked request for the handler's parameter. */
export const rememberCall = (request: object, call: object): void => void calls.set(request, call);
export const callOf = (request: object): object | undefined => calls.get(request);
