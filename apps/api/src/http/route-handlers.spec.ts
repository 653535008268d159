import type { RouteName } from '@pilothouse/contract/api/route-table';
import { assertRouteHandlers } from './route-handlers.ts';

const expected: RouteName[] = ['readHealth', 'readReadiness'];

test('accepts exactly one handler for each expected route', () => {
  expect(() => assertRouteHandlers(['readReadiness', 'readHealth'], expected)).not.toThrow();
});

test.each<[string, RouteName[], string]>([
  ['a missing handler', ['readHealth'], 'readReadiness has no handler'],
  ['two handlers of a route', ['readHealth', 'readReadiness', 'readHealth'], 'readHealth has 2 handlers'],
  ['an unexpected handler', [...expected, 'createRun'], 'createRun is not served by these roles'],
])('rejects %s', (_, handlers, problem) => {
  expect(() => assertRouteHandlers(handlers, expected)).toThrow(`Routes and handlers differ: ${problem}`);
});
