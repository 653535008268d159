import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { TypeResult } from '../session/session-protocol.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { OPEN_ENTRY, shownTextReadback } from './cell-entry.ts';
import { hasReadKeys } from './read-keys.ts';
import { withFieldlessEffect } from './typing-effect.ts';

const unverified: TypeResult = {
  method: 'keys',
  wasConsumed: true,
  readback: { status: 'unverifiable', reason: 'No text field has the focus' },
};

const confirmed: TypeResult['readback'] = { status: 'confirmed' };

/** Types into a window that changes after `changesAtMs`, or never, and then has a field with a text before its caret. */
async function typeInto({
  changesAtMs = Infinity,
  field = '' as string | null,
  shown = confirmed,
  wasConsumed = true,
  answersAtMs = 0,
}) {
  const timers = new ManualTimers();
  const screen = {
    get unchangedMs() {
      return timers.monotonic() >= changesAtMs ? timers.monotonic() - changesAtMs : Infinity;
    },
  };
  const readField = () =>
    Promise.resolve(
      field === null ? null : { readbackBeforeCaret: (text: string) => (field.endsWith(text) ? shown : null) },
    );
  const hasReadKeys = async () => {
    await timers.delay(Math.min(answersAtMs, 5_000));
    return answersAtMs <= 5_000;
  };
  await timers.advance(10);
  const input = { text: 'words', startMs: 5, wasConsumed, timeoutMs: 8_000 };
  const result = withFieldlessEffect({ timers, screen, readField, hasReadKeys }, input, unverified);
  await timers.advance(10_000);
  return (await result).readback;
}

test('a text without a field is delivered if a field with it appears, and lost if nothing changes', async () => {
  expect(await typeInto({ changesAtMs: 400, field: 'my words' })).toEqual({ status: 'confirmed' });
  expect(await typeInto({ changesAtMs: 400, field: 'other' })).toEqual(unverified.readback);
  expect(await typeInto({})).toMatchObject({ status: 'different', reason: expect.stringContaining('nothing changed') });
});

test('a text in a cell is not delivered before its entry ends', async () => {
  const editor = (appId: string) => shownTextReadback({ appId }, atspiRoles.paragraph);
  const typed = { changesAtMs: 400, field: 'my words' };
  expect(await typeInto({ ...typed, shown: editor('libreoffice-calc') })).toEqual(OPEN_ENTRY);
  expect(await typeInto({ ...typed, shown: editor('libreoffice-writer') })).toEqual(confirmed);
});

test('a field of another program proves nothing', async () => {
  expect(await typeInto({ changesAtMs: 400, field: null })).toEqual(unverified.readback);
});

test('a text in an application that is still busy, or paints late, is not called lost', async () => {
  expect(await typeInto({ answersAtMs: 6_000 })).toEqual(unverified.readback);
  expect(await typeInto({ answersAtMs: 2_000, changesAtMs: 3_000 })).toEqual(unverified.readback);
});

test('a text that an application has not read yet is not called lost', async () => {
  expect(await typeInto({ wasConsumed: false })).toEqual(unverified.readback);
});

/** A window that answers a ping after `answersAtMs`, and closes at `closesAtMs`. */
async function readKeys({ answersAtMs = Infinity, closesAtMs = Infinity, isSupported = true }) {
  const timers = new ManualTimers();
  const ping = {
    isSupportedBy: () => Promise.resolve(isSupported && timers.monotonic() < closesAtMs),
    send: (_: number, timeoutMs: number) =>
      timers.delay(Math.min(timeoutMs, answersAtMs)).then(() => answersAtMs <= timeoutMs),
  };
  const result = hasReadKeys(
    { ping, timers } as unknown as Parameters<typeof hasReadKeys>[0],
    { id: 1, pid: null },
    5_000,
  );
  const endedAtMs = result.then(() => timers.monotonic());
  await timers.advance(20_000);
  return [await result, (await endedAtMs) <= 5_000 ? 'in time' : 'late'];
}

test('a key is read when the window answers a ping', async () => {
  expect(await readKeys({ answersAtMs: 3_000 })).toEqual([true, 'in time']);
  expect(await readKeys({})).toEqual([false, 'in time']);
});

test('a window that closes or answers no pings leaves it open', async () => {
  expect(await readKeys({ closesAtMs: 500 })).toEqual([null, 'in time']);
  expect(await readKeys({ isSupported: false })).toEqual([null, 'in time']);
});
