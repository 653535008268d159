import {
  applyDecorators,
  createParamDecorator,
  RequestMapping,
  RequestMethod,
  Res,
  SetMetadata,
  type ExecutionContext,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { routes, type RouteDefinition, type RouteName } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import type { RouteRequest, RouteResult } from './route-request.ts';

const ROUTE = 'pilothouse:route';

/** A route of the table, with its name. */
export type NamedRoute = RouteDefinition & { readonly name: RouteName };

const named = new Map<RouteDefinition, NamedRoute>(
  Object.entries(routes).map(([name, route]) => [route, { ...route, name: name as RouteName }]),
);

/** `/v1/runs/{run}` as Nest and Fastify write it; the rest of a path is a `*` without a name. */
const nestPath = (path: string) => path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

/** Parameters of a path under the names of the table. */
export function decodeParams(route: RouteDefinition, params: unknown): unknown {
  const rest = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  return rest === undefined ? params : { [rest]: (params as { '*'?: string })['*'] };
}

const RouteRequestParameter = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().routeRequest,
);

/**
 * Makes a method the handler of a route of the table: `@Route(routes.createRun)`. Method, path, access, checks of the request and
 * status come from the table; the method takes the checked call, and its type is checked against the route.
 */
export function Route<Definition extends RouteDefinition>(definition: Definition) {
  const route = named.get(definition);
  if (!route) throw new Error(`${definition.method} ${definition.path} is not in the table of routes`);
  return <
    Handler extends (call: RouteRequest<Definition>) => RouteResult<Definition> | Promise<RouteResult<Definition>>,
  >(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    RouteRequestParameter()(target, key, 0);
    // With this parameter Nest leaves the answer to us: see route.interceptor.ts.
    Res()(target, key, 1);
    applyDecorators(
      RequestMapping({ path: nestPath(route.path), method: RequestMethod[route.method] }),
      SetMetadata(ROUTE, route),
      RouteConfig({ route }),
    )(target, key, descriptor);
  };
}

/** The route that a handler was made for; undefined for a handler that the table does not know. */
export const routeOfHandler = (context: Pick<ExecutionContext, 'getHandler'>): NamedRoute | undefined =>
  Reflect.getMetadata(ROUTE, context.getHandler()) as NamedRoute | undefined;

/** The route of a Fastify request; undefined when no path fits. */
export const routeOfRequest = (request: { routeOptions: { config?: object } }): NamedRoute | undefined =>
  (request.routeOptions.config as { route?: NamedRoute } | undefined)?.route;
