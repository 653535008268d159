import type { Json } from '@pilothouse/contract';
import { toStorable, toStorableText, storableTextErrors } from './storable-text.ts';

const HALF = '\uD83D';

describe('what PostgreSQL keeps', () => {
  it('is the same value where nothing has to be replaced', () => {
    const value: Json = { text: 'Grüße 👋', list: [1, null, { deep: ['…'] }], none: null };
    expect(toStorable(value)).toBe(value);
  });

  it('has neither NUL nor half a pair, in texts or names, however deep', () => {
    const value: Json = { [`a\0${HALF}`]: [{ text: `b\0` }, HALF, 7], plain: 'c' };
    expect(toStorable(value)).toEqual({ 'a\uFFFD\uFFFD': [{ text: 'b\uFFFD' }, '\uFFFD', 7], plain: 'c' });
    expect(value).toEqual({ [`a\0${HALF}`]: [{ text: `b\0` }, HALF, 7], plain: 'c' });
    expect(toStorableText(`x${HALF}\0y`)).toBe('x\uFFFD\uFFFDy');
  });
});

test('names the texts that PostgreSQL would not keep, in their order, and not all of them', () => {
  expect(storableTextErrors({ a: ['x', { 'b/c': '\0' }], [`k${HALF}`]: 1, d: HALF })).toEqual([
    { pointer: '/a/1/b~1c', detail: expect.stringMatching(/^The text has a NUL/) },
    { pointer: '/k\uFFFD', detail: expect.stringMatching(/^The name has half of a surrogate pair/) },
    { pointer: '/d', detail: expect.stringMatching(/^The text has half/) },
  ]);
  expect(storableTextErrors('\0', { at: 'query/text' })).toMatchObject([{ pointer: 'query/text' }]);
  expect(storableTextErrors({ a: { b: '\0' }, ab: '\0' }, { except: ['/a'] })).toMatchObject([{ pointer: '/ab' }]);
  expect(storableTextErrors(Array.from({ length: 1000 }, () => '\0'))).toHaveLength(20);
  expect(storableTextErrors({ a: { b: '\0' }, ab: { c: '\0' } }, { except: ['/ab/c', '/a'] })).toEqual([]);
  expect(storableTextErrors({ fine: ['😀', 1, null, true] })).toEqual([]);
});

test('looks into what is nested more deeply than calls may be', () => {
  let deep: unknown = '\0';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(storableTextErrors(deep)).toHaveLength(1);
});

test('takes no more than a few times the room of what it looks into, however long its names are', () => {
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`\0${index}`, '\0']));
  const value = { ['k'.repeat(1_000_000)]: names };
  const told = storableTextErrors(value);
  expect(told).toHaveLength(20);
  expect(JSON.stringify(told).length).toBeLessThan(20_000);
  expect(storableTextErrors(value, { except: [`/${'k'.repeat(1_000_000)}`] })).toEqual([]);
});
