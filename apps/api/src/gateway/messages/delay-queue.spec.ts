import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { DelayQueue } from './delay-queue.ts';

test('delivers each item once, in order, after its delay plus up to a quarter', async () => {
  const timers = new ManualTimers();
  const handed: [string, number][] = [];
  const later = new DelayQueue<string>(100, (item) => handed.push([item, timers.monotonic()]), timers);
  later.add('a');
  await timers.advance(10);
  later.add('b');
  await timers.advance(80);
  later.add('c');
  await timers.advance(10);
  expect(handed.map(([item]) => item)).toEqual(['a']);
  await timers.advance(200);
  expect(handed.map(([item]) => item)).toEqual(['a', 'b', 'c']);
  for (const [index, due] of [100, 110, 190].entries()) {
    expect(handed[index]?.[1]).toBeGreaterThanOrEqual(due - 1);
    expect(handed[index]?.[1]).toBeLessThanOrEqual(due + 26);
  }
  later.add('d');
  await timers.advance(100);
  expect(handed.at(-1)?.[0]).toBe('d');
});
