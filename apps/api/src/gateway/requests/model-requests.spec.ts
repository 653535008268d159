import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { throttleLatest } from './model-requests.ts';

test('passes on the first value at once, the latest at the interval, repeats the last one, and stops', async () => {
  const timers = new ManualTimers();
  const received: string[] = [];
  const throttle = throttleLatest(250, 1_000, (value: string) => received.push(value), timers);
  const valuesAfter = async (ms: number, ...values: string[]) => {
    for (const value of values) throttle.push(value);
    await timers.advance(ms);
    return received.splice(0);
  };
  expect(await valuesAfter(0, 'a', 'ab', 'abc')).toEqual(['a']);
  expect(await valuesAfter(249)).toEqual([]);
  expect(await valuesAfter(1)).toEqual(['abc']);
  expect(await valuesAfter(250, 'abcd')).toEqual(['abcd']);
  expect(await valuesAfter(900)).toEqual([]);
  expect(await valuesAfter(100)).toEqual(['abcd']);
  throttle.push('abcde');
  throttle.stop();
  expect(await valuesAfter(5_000, 'abcdef')).toEqual([]);
});
