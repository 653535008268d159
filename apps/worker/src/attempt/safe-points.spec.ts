import type { SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { MAX_EVENT_BYTES } from '@pilothouse/infra-link';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { parseSafePoint, SafePointTracker } from './safe-points.ts';

const navigate: Step = { action: 'navigate', url: 'https://portal.test' };
const click: Step = { action: 'click', target: { text: 'Next' } };
const extract: Step = { action: 'extract', target: { css: 'h1' }, value: {} };

describe('safe points', () => {
  const maskedValues = new Map<number, string>();
  let timers: ManualTimers;
  let sentAlone: SafePoint[];
  let points: SafePointTracker;
  /** A surface that returns this state on demand. */
  const surface = (state: string | null) => {
    let respond = () => {};
    const pendingState = new Promise<string | null>((resolve) => (respond = () => resolve(state)));
    return { save: () => pendingState, respond };
  };
  const surfaceWith = (state: string | null) => ({ save: () => Promise.resolve(state) });
  const stateOf = (safePoint: SafePoint | undefined) =>
    safePoint?.state === undefined ? undefined : parseSafePoint(safePoint.state).surface;

  beforeEach(() => {
    timers = new ManualTimers();
    sentAlone = [];
    maskedValues.clear();
    points = new SafePointTracker(
      {
        clock: timers,
        timers,
        log: memoryLog(),
        link: {
          lossSignal: new AbortController().signal,
          sendSafePoint: (safePoint) => void sentAlone.push(safePoint),
        },
      },
      maskedValues,
      null,
    );
  });

  test('a state is sent once with the next events, or before them when they are late', async () => {
    points.stepCompleted(surfaceWith('page a'), 0, navigate);
    await timers.advance(149);
    expect(sentAlone).toEqual([]);
    await timers.advance(1);
    expect(stateOf(sentAlone[0])).toBe('page a');
    const safePoint = points.consumePending();
    expect(safePoint).toEqual(sentAlone[0]);
    expect(safePoint?.step).toBe(1);
    expect(points.consumePending()).toBeUndefined();
  });

  test('read-only steps advance it without sending the state again', async () => {
    points.stepCompleted(surfaceWith('page a'), 0, navigate);
    await points.whenSaved();
    points.consumePending();
    points.stepCompleted(surfaceWith('never asked'), 1, extract);
    expect(points.consumePending()).toEqual({ step: 2 });
    expect(points.latest).toEqual({ step: 2 });
  });

  test('after input there is none until the next page', async () => {
    points.stepCompleted(surfaceWith('page a'), 0, navigate);
    await points.whenSaved();
    points.consumePending();
    points.stepCompleted(surfaceWith(null), 1, click);
    await points.whenSaved();
    points.stepCompleted(surfaceWith(null), 2, extract);
    expect(points.consumePending()).toBeUndefined();
    expect(points.latest).toEqual({ step: 1 });
    points.stepCompleted(surfaceWith('page b'), 3, click);
    await points.whenSaved();
    expect(stateOf(points.consumePending())).toBe('page b');
    expect(points.latest).toEqual({ step: 4 });
  });

  test('a late state belongs to its step, and never replaces a newer one', async () => {
    const slow = surface('page a');
    points.stepCompleted(slow, 0, navigate);
    const first = points.whenSaved();
    points.stepCompleted(surfaceWith(null), 1, click);
    slow.respond();
    await first;
    expect(points.consumePending()).toMatchObject({ step: 1 });
    const slower = surface('page c');
    points.stepCompleted(slower, 2, navigate);
    const third = points.whenSaved();
    points.stepCompleted(surfaceWith('page d'), 3, navigate);
    await points.whenSaved();
    slower.respond();
    await third;
    expect(stateOf(points.consumePending())).toBe('page d');
  });

  test('stores values that events mask', async () => {
    points.stepCompleted(surfaceWith('page a'), 0, navigate);
    await points.whenSaved();
    points.consumePending();
    maskedValues.set(1, 'the s3cret-word');
    points.stepCompleted(surfaceWith('never asked'), 1, extract);
    const { state = '', step } = points.consumePending() ?? {};
    expect(step).toBe(2);
    expect(parseSafePoint(state)).toEqual({ surface: 'page a', values: new Map([[1, 'the s3cret-word']]) });
  });

  test('drops a state that is too large for events', async () => {
    points.stepCompleted(surfaceWith('page a'), 0, navigate);
    await points.whenSaved();
    points.consumePending();
    const quotes = (bytes: number) => '"'.repeat(bytes);
    points.stepCompleted(surfaceWith(quotes(MAX_EVENT_BYTES / 3)), 1, navigate);
    await points.whenSaved();
    points.stepCompleted(surfaceWith('never asked'), 2, extract);
    expect([points.consumePending(), points.latest]).toEqual([undefined, { step: 1 }]);
    points.stepCompleted(surfaceWith(quotes(MAX_EVENT_BYTES / 5)), 3, navigate);
    await points.whenSaved();
    const safePoint = points.consumePending();
    expect(safePoint?.step).toBe(4);
    expect(JSON.stringify({ saved: safePoint }).length).toBeLessThan(MAX_EVENT_BYTES);
  });
});
