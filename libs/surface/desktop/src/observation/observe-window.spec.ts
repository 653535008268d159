import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { readTextOfWindow } from './observe-window.ts';

type Parameters = globalThis.Parameters<typeof readTextOfWindow>;

test('a page that hangs leaves half of the time, and an application that hangs gives the reason', async () => {
  const timers = new ManualTimers();
  const window = { id: 1, title: 'Page', appId: 'chromium', pid: 7, bounds: { x: 0, y: 0, width: 9, height: 9 } };
  const timeoutsMs: number[] = [];
  const pages = {
    text: async (_: unknown, timeoutMs: number) => {
      timeoutsMs.push(timeoutMs);
      await timers.delay(timeoutMs);
      return null;
    },
  };
  const hanging = () => new Promise<never>(() => undefined);
  const bus = new Proxy({ timers }, { get: (target, name) => (name === 'timers' ? target.timers : hanging) });
  const windows = { list: () => Promise.resolve([window]), active: () => Promise.resolve(window) };
  const read = readTextOfWindow(
    { windows, timers } as unknown as Parameters[0],
    bus as unknown as Parameters[1],
    4_000,
    1,
    pages as unknown as Parameters[4],
  );
  await timers.advance(2_000);
  await timers.advance(2_000);
  expect(await read).toEqual({ parts: [], incomplete: 'timeout' });
  expect(timeoutsMs).toEqual([2_000]);
});
