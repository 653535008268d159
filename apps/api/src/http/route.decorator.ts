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
import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { routes, type RouteName } from '@pilothouse/contract/api/route-table';
import type { FastifyRequest } from 'fastify';
import type { RouteRequest, RouteResult } from './route-request.ts';

const ROUTE = 'pilothouse:route';

/** A route of the route table, with its name. */
export type NamedRoute = RouteDefinition & { readonly name: RouteName };

const namedRoutes = new Map<RouteDefinition, NamedRoute>(
  Object.entries(routes).map(([name, route]) => [route, { ...route, name: name as RouteName }]),
);

/** Converts `/v1/runs/{run}` to the syntax of Nest and Fastify, in which a wildcard has no name. */
const nestPath = (path: string) => path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

/** Returns path parameters under their names in the route table. */
export function decodeParams(route: RouteDefinition, params: unknown): unknown {
  const wildcard = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  return wildcard === undefined ? params : { [wildcard]: (params as { '*'?: string })['*'] };
}

const RouteRequestParameter = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().routeRequest,
);

/**
 * Binds a method to a route of the route table: `@Route(routes.createRun)`. HTTP method, path, access, validation and status come from the
 * table. The type of the method is checked against the route.
 */
export function Route<Definition extends RouteDefinition>(definition: Definition) {
  const route = namedRoutes.get(definition);
  if (!route) throw new Error(`${definition.method} ${definition.path} is not in the route table`);
  return <
    Handler extends (call: RouteRequest<Definition>) => RouteResult<Definition> | Promise<RouteResult<Definition>>,
  >(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    RouteRequestParameter()(target, key, 0);
    // With a response parameter Nest leaves the response to `RouteInterceptor`.
    Res()(target, key, 1);
    applyDecorators(
      RequestMapping({ path: nestPath(route.path), method: RequestMethod[route.method] }),
      SetMetadata(ROUTE, route),
      RouteConfig({ route }),
    )(target, key, descriptor);
  };
}

/** Returns the route of a handler, undefined if it has none. */
export const routeOfHandler = (context: Pick<ExecutionContext, 'getHandler'>): NamedRoute | undefined =>
  Reflect.getMetadata(ROUTE, context.getHandler()) as NamedRoute | undefined;

/** Returns the route of a Fastify request, undefined if no path matches. */
export const routeOfRequest = (request: { routeOptions: { config?: object } }): NamedRoute | undefined =>
  (request.routeOptions.config as { route?: NamedRoute } | undefined)?.route;
