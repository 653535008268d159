import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { Keyboard, keysymOf } from '../x/keyboard.ts';
import type { XConnection } from '../x/x-connection.ts';
import type { WindowPing } from '../x/window-ping.ts';
import { typeText } from './type-text.ts';

const FIRST_KEYCODE = 8;
const KEYS = ['a', 'b', 'c', 'v', '\n', '\t', 'Control', 'Shift', 'Insert'];
const NAMED_KEYSYMS: Record<string, number> = { Control: 0xffe3, Shift: 0xffe1, Insert: 0xff63 };

/** Types into a window that answers the first pings. The log has the keys and pings in their order. */
async function type(text: string, { answers = Infinity, closesAtMs = Infinity } = {}) {
  const timers = new ManualTimers();
  const log: string[] = [];
  const FakeInput = (kind: number, keycode: number) => {
    if (kind === 1) log.push(JSON.stringify(KEYS[keycode - FIRST_KEYCODE]));
  };
  const x = {
    ...{ minKeycode: FIRST_KEYCODE, maxKeycode: FIRST_KEYCODE + KEYS.length - 1, root: 1, timers },
    client: {
      require: (_: string, reply: (error: null, test: object) => void) =>
        reply(null, { FakeInput, KeyPress: 1, KeyRelease: 2 }),
      GetKeyboardMapping: (_: number, __: number, reply: (error: null, rows: number[][]) => void) =>
        reply(
          null,
          KEYS.map((key) => [NAMED_KEYSYMS[key] ?? keysymOf(key.codePointAt(0) ?? 0)]),
        ),
    },
    request: <Reply>(send: (reply: (error: null, value: Reply) => void) => void) =>
      new Promise<Reply>((resolve) => send((_, value) => resolve(value))),
    sync: () => Promise.resolve(),
  };
  const ping = {
    isSupportedBy: () => Promise.resolve(timers.monotonic() < closesAtMs),
    send: async (_: number, timeoutMs: number) => {
      if (timers.monotonic() >= closesAtMs) return false;
      answers -= 1;
      const isAnswered = answers >= 0;
      await timers.delay(isAnswered ? 5 : timeoutMs);
      log.push(isAnswered ? 'read' : 'unread');
      return isAnswered;
    },
  } as unknown as WindowPing;
  const keyboard = await Keyboard.create(x as unknown as XConnection, ping);
  const session = { ping, keyboard, timers, processes: { pids: () => Promise.resolve([]) } };
  const typed = typeText(
    session as unknown as Parameters<typeof typeText>[0],
    { id: 1, pid: null, appId: 'editor' } as Parameters<typeof typeText>[1],
    text,
    new AbortController().signal,
    8_000,
  );
  const endedAtMs = typed.then(() => timers.monotonic());
  await timers.advance(30_000);
  return { log: log.join(' '), endedAtMs: await endedAtMs, wasConsumed: (await typed).wasConsumed };
}

test('the keys after a line break or tab wait until it is read', async () => {
  const { log, wasConsumed } = await type('a\nb\tc');
  expect(log).toBe(String.raw`read "a" "\n" read "b" "\t" read "c" read`);
  expect(wasConsumed).toBe(true);
});

test('after a line break that is not read in the time of the step, the rest is sent at once', async () => {
  const { log, endedAtMs, wasConsumed } = await type('a\nb\nc', { answers: 1 });
  expect(log).toBe(String.raw`read "a" "\n" unread "b" "\n" "c" unread unread`);
  expect(wasConsumed).toBe(false);
  // The readback has 2 s of the 8 s of the step.
  expect([endedAtMs >= 6_000, endedAtMs < 6_100]).toEqual([true, true]);
});

test('no line break waits for a closed window', async () => {
  const { log, endedAtMs } = await type('\nb\nc', { answers: 1, closesAtMs: 300 });
  // The unanswered ping ends later.
  expect(log).toBe(String.raw`read "\n" "b" "\n" "c" unread`);
  expect(endedAtMs).toBeLessThan(500);
});
