import { z } from 'zod';
import { didYouMean, nearestWords } from '../nearest.ts';
import { fieldErrors, withKnownKeys } from './field-errors.ts';

const schema = z.strictObject({
  name: z.string(),
  list: z.union([z.string(), z.array(z.string())]),
  size: z.union([z.int().min(1), z.enum(['small', 'large'])]).optional(),
});

const problems = (value: unknown) => {
  const { error } = schema.safeParse(value);
  return error ? fieldErrors(error) : [];
};

test('a missing value is reported with its expected type', () => {
  expect(problems({})).toEqual([
    { pointer: '/name', detail: 'is required (a string)' },
    { pointer: '/list', detail: 'is required (a string or an array)' },
  ]);
});

test('a wrong type is reported with the accepted types', () => {
  expect(problems({ name: 3, list: true })).toEqual([
    { pointer: '/name', detail: 'must be a string, not a number' },
    { pointer: '/list', detail: 'must be a string or an array, not a boolean' },
  ]);
});

test('for a union, the errors of the closest branch are reported', () => {
  expect(problems({ name: 'a', list: ['b', 4] })).toEqual([
    { pointer: '/list/1', detail: 'must be a string, not a number' },
  ]);
});

test('other issues keep their messages', () => {
  expect(problems({ name: 'a', list: 'b', size: 'tiny' })).toEqual([
    { pointer: '/size', detail: 'Invalid option: expected one of "small"|"large"' },
  ]);
  expect(problems({ name: 'a', list: 'b', size: true })[0]?.detail).toContain('Invalid option');
  expect(problems({ name: 'a', list: 'b', sise: 1 })).toEqual([
    { pointer: '/sise', detail: 'Unknown field "sise": remove it or fix the spelling' },
  ]);
});

test.each([
  ['sise', 'Unknown field "sise". Did you mean size or list?'],
  ['lists', 'Unknown field "lists". Did you mean list?'],
  ['qq', 'Unknown field "qq": remove it or fix the spelling'],
  ['color', 'Unknown field "color": remove it or fix the spelling'],
])('with the known keys, the unknown field %s is reported with the nearest', (key, detail) => {
  const { error } = schema.safeParse({ name: 'a', list: 'b', [key]: 1 }, { error: withKnownKeys });
  expect(error && fieldErrors(error)).toEqual([{ pointer: `/${key}`, detail }]);
});

test('at most three words are suggested', () => {
  expect(didYouMean('orde', ['order', 'orders', 'ordered', 'ordering', 'invoice'])).toBe(
    'Did you mean order, orders or ordered?',
  );
  expect(didYouMean('zz', ['go', 'a'])).toBeNull();
});

describe('a large body', () => {
  const parse = (value: unknown) => {
    const { error } = schema.safeParse(value, { error: withKnownKeys });
    // CPU time does not depend on the load of the machine.
    const start = process.cpuUsage();
    const fields = error ? fieldErrors(error) : [];
    return { fields, cpuMs: process.cpuUsage(start).user / 1000 };
  };

  test.each([
    ['letters', 'sise'.repeat(500_000)],
    ['the start of a known key', `size${' '.repeat(2_000_000)}`],
  ])('a key of 2 MB of %s is reported without a suggestion', (_, key) => {
    const { fields, cpuMs } = parse({ name: 'a', list: 'b', [key]: 1 });
    expect(fields).toHaveLength(1);
    expect(fields[0]?.detail).toBe(`Unknown field "${key.slice(0, 200)}…": remove it or fix the spelling`);
    expect(cpuMs).toBeLessThan(1000);
  });

  test('of 150,000 unknown keys, the first 20 get a suggestion', () => {
    const keys = Array.from({ length: 150_000 }, (_, index) => `size${index}`);
    const { fields, cpuMs } = parse({ name: 'a', list: 'b', ...Object.fromEntries(keys.map((key) => [key, 1])) });
    expect(fields).toHaveLength(keys.length);
    expect(fields.filter(({ detail }) => detail.includes('Did you mean'))).toHaveLength(20);
    expect(cpuMs).toBeLessThan(2000);
  });

  test('150,000 wrong values of a list are reported', () => {
    expect(parse({ name: 'a', list: Array.from({ length: 150_000 }, () => 1) }).fields).toHaveLength(150_000);
  });

  test('a long candidate is skipped', () => {
    const candidates = ['size', 'x'.repeat(2_000_000)];
    expect(nearestWords('s'.repeat(40), candidates)).toEqual([]);
    expect(nearestWords('sise', candidates)).toEqual(['size']);
  });
});
