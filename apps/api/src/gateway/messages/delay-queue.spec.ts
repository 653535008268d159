import { jest } from '@jest/globals';
import { DelayQueue } from './delay-queue.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('each item is handed on once, in order, when its time has come or up to a quarter of it later', () => {
  const began = performance.now();
  const handed: [string, number][] = [];
  const later = new DelayQueue<string>(100, (item) => handed.push([item, performance.now() - began]));
  later.add('a');
  jest.advanceTimersByTime(10);
  later.add('b');
  jest.advanceTimersByTime(80);
  later.add('c');
  jest.advanceTimersByTime(10);
  expect(handed.map(([item]) => item)).toEqual(['a']);
  jest.advanceTimersByTime(200);
  expect(handed.map(([item]) => item)).toEqual(['a', 'b', 'c']);
  for (const [index, due] of [100, 110, 190].entries()) {
    expect(handed[index]?.[1]).toBeGreaterThanOrEqual(due - 1);
    expect(handed[index]?.[1]).toBeLessThanOrEqual(due + 26);
  }
  later.add('d');
  jest.advanceTimersByTime(100);
  expect(handed.at(-1)?.[0]).toBe('d');
});
