import type { Hint } from '@pilothouse/infra-db';
import { Ahead } from './ahead.ts';

const hint = (run: string): Hint => ({ run, fleet: 'f', dispatch: 1, priority: 0 });
const hints = (...runs: string[]) => runs.map(hint);

test('as many are admitted ahead as slots were filled a moment ago, less those that wait', () => {
  const ahead = new Ahead();
  expect(ahead.room(0)).toBe(0);
  ahead.filled(10, 0);
  expect(ahead.room(1)).toBe(10);
  ahead.add(hints('a', 'b', 'c'), 1);
  expect(ahead.room(2)).toBe(7);
  expect(ahead.isShort(2)).toBe(true);
  ahead.add(hints('d', 'e'), 2);
  expect(ahead.isShort(2)).toBe(false);
  // The next fifty milliseconds still go by what was filled in these.
  expect(ahead.room(60)).toBe(5);
});

test('nothing is admitted ahead of slots that are rarely filled', () => {
  const ahead = new Ahead();
  ahead.filled(3, 0);
  expect(ahead.room(1)).toBe(0);
  ahead.filled(1, 2);
  expect(ahead.room(3)).toBe(4);
  expect(ahead.room(200)).toBe(0);
});

test('they leave in their order, and those that waited too long all at once', () => {
  const ahead = new Ahead();
  ahead.add(hints('a', 'b'), 0);
  ahead.add(hints('c'), 100);
  expect(ahead.peek()?.run).toBe('a');
  ahead.shift();
  expect(ahead.olderThan(50)).toEqual(hints('b'));
  expect(ahead.size).toBe(1);
  expect(ahead.olderThan(100)).toEqual(hints('c'));
  expect(ahead.peek()).toBeUndefined();
});
