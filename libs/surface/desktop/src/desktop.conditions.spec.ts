import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { checkCondition, waitForCondition } from './desktop.conditions.ts';
import { DesktopScreen } from './desktop.screen.ts';
import { aScreen } from './testing/slow-screen.fixture.ts';

const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };

const cancel = { role: 'button', name: 'Cancel' };
const save = { role: 'button', name: 'Save' };

test.each<[string, Condition]>([
  ['an element is hidden', { hidden: cancel }],
  ['the count of elements is right', { count: { target: save, equals: 1 } }],
])('it is not certain that %s while an application has not listed all of its elements', async (_, condition) => {
  expect(await checkCondition(aScreen(null).screen, condition, context)).toBe(true);
  expect(await checkCondition(aScreen('timeout').screen, condition, context)).toBe(false);
  expect(await checkCondition(aScreen('unresponsive').screen, condition, context)).toBe(false);
  expect(await checkCondition(aScreen('truncated').screen, condition, context)).toBe(false);
  expect(await checkCondition(aScreen('parser').screen, condition, context)).toBe(false);
});

test('an element is visible although others were not listed', async () => {
  expect(await checkCondition(aScreen('timeout').screen, { visible: save }, context)).toBe(true);
});

test('a condition on elements reads only their roles, and one on a text the whole window', async () => {
  const { screen, needs } = aScreen(null);
  await checkCondition(screen, { visible: save, hidden: { label: 'Password' } }, context);
  expect(needs.at(-1)).toMatchObject({ cells: 'none', roles: expect.arrayContaining(['button', 'textbox']) });
  await checkCondition(screen, { visible: save, text: 'Save' }, context);
  expect(needs.at(-1)).toMatchObject({ cells: 'all', roles: null });
});

/** Waits for a condition with a deadline. Returns the error, and the times of the reads in milliseconds. */
async function waitWithin(deadline: number, condition: Condition, screenOf: ReturnType<typeof aScreen>) {
  const { screen, timers, readTimes } = screenOf;
  const limits = { signal: context.signal, deadline, timers };
  let endedAtMs = Infinity;
  const waiting = waitForCondition(screen, condition, limits)
    .then(() => null)
    .catch((error: unknown) => error as Error)
    .finally(() => (endedAtMs = timers.monotonic()));
  await timers.advance(deadline + 5_000);
  return { error: await waiting, readTimes, endedAtMs };
}

test.each<[string, IncompleteReason | null, number, Condition, number]>([
  ['rests', null, 10_000, { visible: cancel }, 12],
  ['rests, with a rest wanted after that', null, 10_000, { visible: cancel, stableMs: 500 }, 12],
  ['changes', null, 0, { visible: cancel }, 100],
  ['rests, but was not read whole', 'timeout', 10_000, { visible: cancel }, 100],
  ['is not at rest for long enough', null, 2_000, { stableMs: 20_000, visible: save }, 100],
])('a wait on a screen that %s reads as often as needed', async (_, incomplete, unchangedMs, condition, maxReads) => {
  const { readTimes } = await waitWithin(8_000, condition, aScreen(incomplete, unchangedMs));
  expect(readTimes.length).toBeLessThan(maxReads);
  expect(readTimes.length).toBeGreaterThan(maxReads / 2);
});

test('a wait on a screen that rests reads it right before the deadline', async () => {
  const { readTimes } = await waitWithin(2_500, { visible: cancel }, aScreen(null, 10_000));
  expect(readTimes.filter((time) => time >= 2_200 && time <= 2_500)).not.toEqual([]);
});

test('a window that is read in 5 s is read whole within a step of 10 s', async () => {
  const slow = aScreen(null, 0, 5_000);
  expect((await waitWithin(10_000, { hidden: cancel }, slow)).error).toBeNull();
  expect(slow.deadlines).toEqual([1_000, 2_000, expect.closeTo(7_000, -3)]);
});

test('a list with too many elements ends a wait early, with the reason', async () => {
  const { error, endedAtMs } = await waitWithin(60_000, { hidden: cancel }, aScreen('truncated'));
  expect(error?.message).toMatch(/may be visible: the window has more elements than one read returns; shorten/);
  expect(endedAtMs).toBeLessThan(5_000);
});

test.each<[IncompleteReason, RegExp]>([
  ['timeout', /raise the timeout/],
  ['unresponsive', /does not respond/],
  ['parser', /screen parser failed/],
])('an incomplete list (%s) ends a wait at the deadline, with the reason', async (reason, message) => {
  const { error, endedAtMs } = await waitWithin(8_000, { count: { target: save, equals: 1 } }, aScreen(reason));
  expect(error?.message).toMatch(message);
  expect(endedAtMs).toBeGreaterThanOrEqual(8_000);
});

const example = { url: 'https://example.com/list', readyState: 'complete' };

/** A screen whose active window shows a page, and the milliseconds that the page had to answer. @param page null: none */
function aBrowser(title: string, page: typeof example | 'unresponsive' | null) {
  const timeoutsMs: number[] = [];
  const active = { id: 1, title, appId: 'chromium', isActive: true, bounds: { x: 0, y: 0, width: 800, height: 600 } };
  const call = (name: string, args: unknown) => {
    if (name === 'shownPage') timeoutsMs.push((args as { timeoutMs: number }).timeoutMs);
    return Promise.resolve(name === 'shownPage' ? page : active);
  };
  type Parameters = ConstructorParameters<typeof DesktopScreen>;
  const session = { call } as unknown as Parameters[0];
  return { screen: new DesktopScreen(session, { width: 800, height: 600, scale: 1 }), timeoutsMs };
}

test.each([
  ['a page', 'List - Chromium', example, 'example.com/list', true],
  ['a window title that is the host of another page', 'shop.example - Chromium', example, 'shop.example', false],
  ['a window title, by a pattern', 'shop.example - Chromium', example, '*shop.example*', false],
  ['a window', 'List - Chromium', example, 'app://chromium/List', true],
  ['a window, in place of its page', 'List - Chromium', example, 'app://chromium/Other', false],
  ['a window without a page', 'Save File', null, 'Save', true],
  ['a page that does not answer', 'example.com - Chromium', 'unresponsive' as const, 'example.com', false],
  ['a window whose page does not answer', 'List - Chromium', 'unresponsive' as const, 'app://chromium/List', true],
])('`url` is that of %s', async (_, title, page, url, isMet) => {
  expect(await checkCondition(aBrowser(title, page).screen, { url }, context)).toBe(isMet);
});

test.each<Condition>([{ url: 'example.com' }, { loadState: 'load' }])(
  'a page that does not answer has half of the remaining time, and its own message: %j',
  async (condition) => {
    const { screen, timeoutsMs } = aBrowser('List - Chromium', 'unresponsive');
    const timers = new ManualTimers();
    const limits = { signal: context.signal, deadline: timers.monotonic() + 10_000, timers };
    expect(await checkCondition(screen, condition, limits)).toBe(false);
    expect(timeoutsMs).toEqual([5_000]);
    await expect(
      waitForCondition(screen, condition, { ...limits, deadline: timers.monotonic() }),
    ).rejects.toMatchObject({ message: expect.stringContaining('"List - Chromium" does not answer') });
  },
);
