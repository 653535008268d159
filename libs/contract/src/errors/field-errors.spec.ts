import { z } from 'zod';
import { fieldErrors } from './field-errors.ts';

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
