import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { throttleLatest } from './model-requests.ts';

test('passes on the first value at once, the latest at the interval, repeats the last one, and stops', async () => {
  const timers = new ManualTimers();
  const received: string[] = [];
  const throttle = throttleLatest(250, 1_000, (value: string) => received.push(value), timers);
  const after = async (ms: number, ...values: string[]) => {
    for (const value of values) throttle.push(value);
    await timers.advance(ms);
    return received.splice(0);
  };
  expect(await after(0, 'a', 'ab', 'abc')).toEqual(['a']);
  expect(await after(249)).toEqual([]);
  expect(await after(1)).toEqual(['abc']);
  expect(await after(250, 'abcd')).toEqual(['abcd']);
  expect(await after(900)).toEqual([]);
  expect(await after(100)).toEqual(['abcd']);
  throttle.push('abcde');
  throttle.stop();
  expect(await after(5_000, 'abcdef')).toEqual([]);
});
