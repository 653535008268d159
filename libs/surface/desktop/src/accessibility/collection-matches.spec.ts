import type { AccessibilityBus } from './accessibility-bus.ts';
import { collectionMatches } from './collection-matches.ts';
import { atspiRoles } from './roles.ts';

/** Words of the set of roles that a search sends. */
async function roleWords(roles: readonly number[]): Promise<unknown> {
  let body: unknown[] = [];
  const call = (...args: unknown[]) => {
    body = args[5] as unknown[];
    return Promise.resolve([]);
  };
  const bus = { call } as unknown as AccessibilityBus;
  await collectionMatches(bus, { bus: ':1.1', path: '/frame' }, { state: 'showing', roles, maxCount: 1 }, 1_000);
  return (body[0] as unknown[])[4];
}

test('a set of roles has one bit for each role, and the same length for all', async () => {
  expect(await roleWords([])).toEqual([0, 0, 0, 0, 0]);
  expect(await roleWords([atspiRoles.checkBox])).toEqual([1 << 7, 0, 0, 0, 0]);
  expect(await roleWords([atspiRoles.button, atspiRoles.buttonMenu])).toEqual([0, 1 << 11, 0, 0, 2]);
});
