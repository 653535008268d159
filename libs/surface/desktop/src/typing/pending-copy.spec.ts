import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { PendingCopy } from './pending-copy.ts';

const copy = { modifiers: ['LeftControl'], key: 'C' };

/** A clipboard, and a copy shortcut that has been pressed. */
async function aPendingCopy(chord = copy) {
  const timers = new ManualTimers();
  const clipboard = { content: 'old' };
  const pending = new PendingCopy({ version: async () => clipboard.content }, timers);
  await pending.beforeKeys(chord);
  const settle = async () => {
    await pending.settle();
    return timers.monotonic();
  };
  return { timers, clipboard, settle };
}

it('waits until the application has copied', async () => {
  const { timers, clipboard, settle } = await aPendingCopy();
  const settled = settle();
  await timers.advance(310);
  clipboard.content = 'new';
  await timers.advance(1_000);
  expect(await settled).toBe(320);
});

it('gives up after two seconds, because there may be nothing to copy', async () => {
  const { timers, settle } = await aPendingCopy();
  const settled = settle();
  await timers.advance(10_000);
  expect(await settled).toBe(2_000);
});

it.each([
  ['a key without Ctrl', { modifiers: [], key: 'C' }],
  ['another shortcut', { modifiers: ['LeftControl'], key: 'V' }],
])('waits for nothing after %s', async (_, chord) => {
  const { settle } = await aPendingCopy(chord);
  expect(await settle()).toBe(0);
});

it('waits for a copy once', async () => {
  const { timers, settle } = await aPendingCopy();
  const first = settle();
  await timers.advance(2_000);
  expect([await first, await settle()]).toEqual([2_000, 2_000]);
});
