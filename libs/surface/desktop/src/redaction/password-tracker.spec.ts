import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import type { SheetCells } from '../accessibility/sheet-cells.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { PasswordTracker } from './password-tracker.ts';

const bounds = { x: 0, y: 0, width: 400, height: 300 };
const window = { id: 1, title: 'Sign in', bounds, isMinimized: false } as WindowFacts;

/** A tracker of one window. @param bus the accessibility bus, which may never connect */
function aTracker(bus: () => Promise<{ readonly bus: AccessibilityBus; readonly sheets: SheetCells }>) {
  const timers = new ManualTimers();
  let searchCount = 0;
  let onDamage: (area: Rectangle) => void = () => undefined;
  const tracker = new PasswordTracker({
    windows: { list: async () => [window] },
    ping: {},
    timers,
    screen: { onDamage: (listener: typeof onDamage) => (onDamage = listener), invalidate: () => undefined },
    get accessibility() {
      searchCount += 1;
      return bus();
    },
  } as unknown as ConstructorParameters<typeof PasswordTracker>[0]);
  const capture = async (isLive: boolean) => {
    const startedAt = timers.monotonic();
    await tracker.visibleFieldAreas(isLive);
    return timers.monotonic() - startedAt;
  };
  return { timers, capture, damage: () => onDamage(bounds), searchCount: () => searchCount };
}

const never = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('The application does not answer'));

it.each([
  ['a screenshot', false, 1_500],
  ['a live frame', true, 40],
])('%s waits only briefly for a search', async (_, isLive, expectedMs) => {
  const { timers, capture } = aTracker(never);
  const waited = capture(isLive);
  await timers.advance(expectedMs);
  expect(await waited).toBe(expectedMs);
});

it('searches a window again two seconds after a failure', async () => {
  const { timers, capture, searchCount } = aTracker(fails);
  const counts: number[] = [];
  for (const ms of [0, 1_999, 1]) {
    await timers.advance(ms);
    await capture(false);
    counts.push(searchCount());
  }
  expect(counts).toEqual([1, 1, 2]);
});

it('repeats failed searches of a live view until 30 s after the last change', async () => {
  const { timers, capture, damage, searchCount } = aTracker(fails);
  await capture(true);
  await timers.advance(60_000);
  const afterFirstChange = searchCount();
  await timers.advance(60_000);
  expect([afterFirstChange, searchCount()]).toEqual([16, 16]);
  damage();
  await capture(true);
  await timers.advance(60_000);
  expect(searchCount()).toBe(32);
});
