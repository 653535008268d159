import { ManualTimers } from '@pilothouse/testing';
import { throttleLatest } from './model-requests.ts';

test('the newest is passed on at once and then at its pace, again where nothing came, and not after the end', async () => {
  const timers = new ManualTimers();
  const told: string[] = [];
  const pace = throttleLatest(250, 1_000, (value: string) => told.push(value), timers);
  const after = async (ms: number, ...given: string[]) => {
    for (const one of given) pace.give(one);
    await timers.advance(ms);
    return told.splice(0);
  };
  expect(await after(0, 'a', 'ab', 'abc')).toEqual(['a']);
  expect(await after(249)).toEqual([]);
  expect(await after(1)).toEqual(['abc']);
  expect(await after(250, 'abcd')).toEqual(['abcd']);
  expect(await after(900)).toEqual([]);
  expect(await after(100)).toEqual(['abcd']);
  pace.give('abcde');
  pace.end();
  expect(await after(5_000, 'abcdef')).toEqual([]);
});
