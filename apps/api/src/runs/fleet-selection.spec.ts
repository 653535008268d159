import type { EligibleFleet } from '@pilothouse/infra-db';
import { selectFleet } from './fleet-selection.ts';

const fleet = (name: string, overrides: Partial<EligibleFleet> = {}): EligibleFleet => ({
  id: name,
  name,
  surface: 'browser',
  paused: false,
  dedicated: false,
  ...overrides,
});

test.each([
  ['the only one', [fleet('a')], 'a'],
  ['the first by name', [fleet('b'), fleet('a')], 'a'],
  ['default before others', [fleet('a'), fleet('default')], 'default'],
  ['one of its own before default', [fleet('default'), fleet('z', { dedicated: true })], 'z'],
  ['one that runs before one that is paused', [fleet('a', { paused: true, dedicated: true }), fleet('b')], 'b'],
  ['a paused one rather than none', [fleet('a', { paused: true })], 'a'],
  ['only those of the surface', [fleet('a', { surface: 'desktop' }), fleet('b')], 'b'],
])('%s', (_, fleets, expected) => {
  expect(selectFleet(fleets, 'browser', undefined).name).toBe(expected);
});

test('selects the named fleet, paused or not', () => {
  expect(selectFleet([fleet('a'), fleet('b', { paused: true })], 'browser', 'b').name).toBe('b');
});

test('without a fleet of desktops the error says where the missing packages are named', () => {
  expect(() => selectFleet([fleet('a')], 'desktop', undefined)).toThrow(
    expect.objectContaining({ code: 'CONFLICT', message: expect.stringContaining('`npx pilothouse doctor`') }),
  );
});
