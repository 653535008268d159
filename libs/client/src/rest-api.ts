import type { RouteArguments, RouteDefinition, RouteOutput } from '@pilothouse/contract/api/route-definition';
import type { routes } from '@pilothouse/contract/api/route-table';
import type { RunView } from '@pilothouse/contract/run/run.schema';

type Routes = typeof routes;

/** `{name*}` is the rest of a path for the server, and one parameter for a client. */
type ClientPath<Path extends string> = Path extends `${infer Start}*}` ? `${Start}}` : Path;

/** Routes of a method by their path. */
type RoutesOf<Method extends RouteDefinition['method']> = {
  [
    Name in keyof Routes as Routes[Name]['method'] extends Method ? ClientPath<Routes[Name]['path']> : never
  ]: Routes[Name];
};

/** An object without fields, which every object type without required fields accepts. */
type Empty = Record<never, never>;

type RequiredKey<Values> = {
  [Key in keyof Values]-?: undefined extends Values[Key] ? never : Empty extends Values[Key] ? never : Key;
}[keyof Values];

/** Makes each field optional that may be undefined or empty. */
type OptionalFields<Values> = Values extends object ? Pick<Values, RequiredKey<Values>> & Partial<Values> : Values;

type RouteParameters<Route extends RouteDefinition> = OptionalFields<{
  path: RouteArguments<Route>['params'];
  query: OptionalFields<RouteArguments<Route>['query']>;
  header: RouteArguments<Route>['headers'];
}>;

type RequestBody<Body> = undefined extends Body ? { body?: Body } : { body: Body };

/** Parameters, body and options of a request. */
type RequestOptions<Route extends RouteDefinition> = OptionalFields<{ params: RouteParameters<Route> }> &
  RequestBody<RouteArguments<Route>['body']> & {
    signal?: AbortSignal | undefined;
    headers?: Readonly<Record<string, string>>;
    /** Default: JSON. */
    bodySerializer?: (body: unknown) => string;
    /** `stream`: the body of `response` is read by the caller. Default: JSON. */
    parseAs?: 'json' | 'stream';
  };

type OptionalIfEmpty<Options> = Empty extends Options ? [options?: Options] : [options: Options];

/** Body of a response. The client throws the error of an error response. */
interface RestResponse<Route extends RouteDefinition> {
  data: RouteOutput<Route>;
  response: Response;
}

type RestMethod<Operations extends Record<keyof Operations, RouteDefinition>> = <Path extends keyof Operations>(
  path: Path,
  ...options: OptionalIfEmpty<RequestOptions<Operations[Path]>>
) => Promise<RestResponse<Operations[Path]>>;

/** The operations of the REST API, by method and path. */
export interface RestApi {
  GET: RestMethod<RoutesOf<'GET'>>;
  HEAD: RestMethod<RoutesOf<'HEAD'>>;
  POST: RestMethod<RoutesOf<'POST'>>;
  PUT: RestMethod<RoutesOf<'PUT'>>;
  PATCH: RestMethod<RoutesOf<'PATCH'>>;
  DELETE: RestMethod<RoutesOf<'DELETE'>>;
}

/** A run, as `GET /v1/runs/{run}` returns it. */
export type { RunView };

/** Body of `POST /v1/a2ui/runs`. */
export type SubmitA2uiBody = RouteArguments<Routes['submitRunA2ui']>['body'];
