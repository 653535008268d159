import { jest } from '@jest/globals';
import { throttleLatest } from './model-requests.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('the newest is passed on at once and then at its pace, again where nothing came, and not after the end', () => {
  const told: string[] = [];
  const pace = throttleLatest(250, 1_000, (value: string) => told.push(value));
  const after = (ms: number, ...given: string[]) => {
    for (const one of given) pace.give(one);
    jest.advanceTimersByTime(ms);
    return told.splice(0);
  };
  expect(after(0, 'a', 'ab', 'abc')).toEqual(['a']);
  expect(after(249)).toEqual([]);
  expect(after(1)).toEqual(['abc']);
  expect(after(250, 'abcd')).toEqual(['abcd']);
  expect(after(900)).toEqual([]);
  expect(after(100)).toEqual(['abcd']);
  pace.give('abcde');
  pace.end();
  expect(after(5_000, 'abcdef')).toEqual([]);
});
