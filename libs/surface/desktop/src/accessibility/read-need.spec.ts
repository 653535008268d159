import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { atspiRolesOf, needOf, WHOLE_WINDOW } from './read-need.ts';
import { atspiRoles } from './roles.ts';

test.each<[Locator, { roles: string[] | null; cells: string }]>([
  [
    { role: 'button', name: 'Save' },
    { roles: ['button'], cells: 'none' },
  ],
  [
    { role: 'gridcell', name: 'B2', exact: true },
    { roles: ['gridcell'], cells: 'B2' },
  ],
  [
    { role: 'gridcell', name: 'B2' },
    { roles: ['gridcell'], cells: 'all' },
  ],
  [
    { role: 'gridcell', name: 'report.txt', exact: true },
    { roles: ['gridcell'], cells: 'all' },
  ],
  [
    { role: 'button', name: 'Go', near: { role: 'img', name: 'Map' }, within: { role: 'dialog', name: 'Route' } },
    { roles: ['button', 'dialog', 'img'], cells: 'none' },
  ],
  [{ role: 'button' }, { roles: null, cells: 'none' }],
  [{ screenText: 'Save' }, { roles: [], cells: 'none' }],
  [{ point: { x: 1, y: 2 } }, { roles: [], cells: 'none' }],
  [{ text: 'Save' }, WHOLE_WINDOW as { roles: null; cells: string }],
  [{ focus: true }, WHOLE_WINDOW as { roles: null; cells: string }],
  [{ elementIndex: 4 }, WHOLE_WINDOW as { roles: null; cells: string }],
])('a read for %j lists only what can match', (locator, expected) => {
  expect(needOf([locator])).toEqual(expected);
});

test('a chain needs what any of its locators can match', () => {
  const chain: Locator[] = [
    { role: 'gridcell', name: 'B2', exact: true },
    { role: 'gridcell', name: 'C3', exact: true },
  ];
  expect(needOf(chain)).toEqual({ roles: ['gridcell'], cells: 'all' });
  expect(needOf([...chain, { text: 'sum' }])).toEqual(WHOLE_WINDOW);
});

test('a field is read with the texts that may label it, a button without', () => {
  expect(atspiRolesOf(needOf([{ label: 'Title' }]))?.has(atspiRoles.label)).toBe(true);
  expect(atspiRolesOf(needOf([{ role: 'button', name: 'Save' }]))?.has(atspiRoles.label)).toBe(false);
  expect(atspiRolesOf(needOf([{ role: 'listitem', name: 'a.txt' }]))?.has(atspiRoles.icon)).toBe(true);
  expect(atspiRolesOf(WHOLE_WINDOW)).toBeNull();
});
