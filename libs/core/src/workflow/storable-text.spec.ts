import type { Json } from '@pilothouse/contract/primitives.schema';
import { toStorable, toStorableText, storableTextErrors } from './storable-text.ts';

const UNPAIRED_SURROGATE = '\uD83D';

describe('a storable value', () => {
  it('is the same object if nothing has to be replaced', () => {
    const value: Json = { text: 'Grüße 👋', list: [1, null, { deep: ['…'] }], none: null };
    expect(toStorable(value)).toBe(value);
  });

  it('has no NUL and no unpaired surrogate in texts and names at any depth', () => {
    const value: Json = { [`a\0${UNPAIRED_SURROGATE}`]: [{ text: `b\0` }, UNPAIRED_SURROGATE, 7], plain: 'c' };
    expect(toStorable(value)).toEqual({ 'a\uFFFD\uFFFD': [{ text: 'b\uFFFD' }, '\uFFFD', 7], plain: 'c' });
    expect(value).toEqual({ [`a\0${UNPAIRED_SURROGATE}`]: [{ text: `b\0` }, UNPAIRED_SURROGATE, 7], plain: 'c' });
    expect(toStorableText(`x${UNPAIRED_SURROGATE}\0y`)).toBe('x\uFFFD\uFFFDy');
  });
});

test('reports texts that PostgreSQL rejects, in order and up to a maximum', () => {
  expect(
    storableTextErrors({ a: ['x', { 'b/c': '\0' }], [`k${UNPAIRED_SURROGATE}`]: 1, d: UNPAIRED_SURROGATE }),
  ).toEqual([
    { pointer: '/a/1/b~1c', detail: expect.stringMatching(/^The text contains NUL/) },
    { pointer: '/k\uFFFD', detail: expect.stringMatching(/^The name contains half of a surrogate pair/) },
    { pointer: '/d', detail: expect.stringMatching(/^The text contains half/) },
  ]);
  expect(storableTextErrors('\0', { pointer: 'query/text' })).toMatchObject([{ pointer: 'query/text' }]);
  expect(storableTextErrors({ a: { b: '\0' }, ab: '\0' }, { except: ['/a'] })).toMatchObject([{ pointer: '/ab' }]);
  expect(storableTextErrors(Array.from({ length: 1000 }, () => '\0'))).toHaveLength(20);
  expect(storableTextErrors({ a: { b: '\0' }, ab: { c: '\0' } }, { except: ['/ab/c', '/a'] })).toEqual([]);
  expect(storableTextErrors({ fine: ['😀', 1, null, true] })).toEqual([]);
});

test('checks values that are nested deeper than the call stack', () => {
  let deep: unknown = '\0';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(storableTextErrors(deep)).toHaveLength(1);
});

test('has short errors for long names', () => {
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`\0${index}`, '\0']));
  const value = { ['k'.repeat(1_000_000)]: names };
  const errors = storableTextErrors(value);
  expect(errors).toHaveLength(20);
  expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  expect(storableTextErrors(value, { except: [`/${'k'.repeat(1_000_000)}`] })).toEqual([]);
});
