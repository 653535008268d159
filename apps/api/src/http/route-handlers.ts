import type { RouteName } from '@pilothouse/contract/api/route-table';
import type { FastifyInstance } from 'fastify';
import type { NamedRoute } from './route.decorator.ts';

/** Collects the route of each handler that Nest registers on `instance`. */
export function collectRouteHandlers(instance: FastifyInstance): RouteName[] {
  const handlers: RouteName[] = [];
  instance.addHook('onRoute', ({ config }) => {
    const { route } = (config ?? {}) as { route?: NamedRoute };
    if (route) handlers.push(route.name);
  });
  return handlers;
}

/** @throws Error unless each expected route has exactly one handler and no other route has any */
export function assertRouteHandlers(handlers: readonly RouteName[], expected: readonly RouteName[]): void {
  const countOf = (name: RouteName) => handlers.filter((handler) => handler === name).length;
  const problems = [
    ...expected.filter((name) => countOf(name) === 0).map((name) => `${name} has no handler`),
    ...expected.filter((name) => countOf(name) > 1).map((name) => `${name} has ${countOf(name)} handlers`),
    ...handlers.filter((name) => !expected.includes(name)).map((name) => `${name} is not served by these roles`),
  ];
  if (problems.length > 0) throw new Error(`Routes and handlers differ: ${problems.join('; ')}`);
}
