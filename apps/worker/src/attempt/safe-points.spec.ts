import type { SafePoint, Step } from '@pilothouse/contract';
import { MAX_EVENT_BYTES } from '@pilothouse/infra-link';
import { ManualTimers, memoryLog } from '@pilothouse/testing';
import { parseSafePoint, SafePointTracker } from './safe-points.ts';

const go: Step = { action: 'navigate', url: 'https://portal.test' };
const click: Step = { action: 'click', target: { text: 'Next' } };
const look: Step = { action: 'extract', target: { css: 'h1' }, value: {} };

describe('safe points', () => {
  const maskedValues = new Map<number, string>();
  let timers: ManualTimers;
  let sentEarly: SafePoint[];
  let points: SafePointTracker;
  /** A surface that returns this state on demand. */
  const surface = (state: string | null) => {
    let say = () => {};
    const saved = new Promise<string | null>((resolve) => (say = () => resolve(state)));
    return { save: () => saved, say };
  };
  const at = (state: string | null) => ({ save: () => Promise.resolve(state) });
  const stateOf = (saved: SafePoint | undefined) =>
    saved?.state === undefined ? undefined : parseSafePoint(saved.state).surface;

  beforeEach(() => {
    timers = new ManualTimers();
    sentEarly = [];
    maskedValues.clear();
    points = new SafePointTracker(
      {
        clock: timers,
        timers,
        log: memoryLog(),
        link: { lost: new AbortController().signal, sendSafePoint: (safePoint) => void sentEarly.push(safePoint) },
      },
      maskedValues,
      null,
    );
  });

  test('a state is sent once with the next events, or before them when they are late', async () => {
    points.stepCompleted(at('page a'), 0, go);
    await timers.advance(149);
    expect(sentEarly).toEqual([]);
    await timers.advance(1);
    expect(stateOf(sentEarly[0])).toBe('page a');
    const saved = points.consumePending();
    expect(saved).toEqual(sentEarly[0]);
    expect(saved?.step).toBe(1);
    expect(points.consumePending()).toBeUndefined();
  });

  test('read-only steps advance it without sending the state again', async () => {
    points.stepCompleted(at('page a'), 0, go);
    await points.whenSaved();
    points.consumePending();
    points.stepCompleted(at('never asked'), 1, look);
    expect(points.consumePending()).toEqual({ step: 2 });
    expect(points.latest).toEqual({ step: 2 });
  });

  test('after input there is none until the next page', async () => {
    points.stepCompleted(at('page a'), 0, go);
    await points.whenSaved();
    points.consumePending();
    points.stepCompleted(at(null), 1, click);
    await points.whenSaved();
    points.stepCompleted(at(null), 2, look);
    expect(points.consumePending()).toBeUndefined();
    expect(points.latest).toEqual({ step: 1 });
    points.stepCompleted(at('page b'), 3, click);
    await points.whenSaved();
    expect(stateOf(points.consumePending())).toBe('page b');
    expect(points.latest).toEqual({ step: 4 });
  });

  test('a late state belongs to its step, and never replaces a newer one', async () => {
    const slow = surface('page a');
    points.stepCompleted(slow, 0, go);
    const first = points.whenSaved();
    points.stepCompleted(at(null), 1, click);
    slow.say();
    await first;
    expect(points.consumePending()).toMatchObject({ step: 1 });
    const slower = surface('page c');
    points.stepCompleted(slower, 2, go);
    const third = points.whenSaved();
    points.stepCompleted(at('page d'), 3, go);
    await points.whenSaved();
    slower.say();
    await third;
    expect(stateOf(points.consumePending())).toBe('page d');
  });

  test('stores values that events mask', async () => {
    points.stepCompleted(at('page a'), 0, go);
    await points.whenSaved();
    points.consumePending();
    maskedValues.set(1, 'the s3cret-word');
    points.stepCompleted(at('never asked'), 1, look);
    const { state = '', step } = points.consumePending() ?? {};
    expect(step).toBe(2);
    expect(parseSafePoint(state)).toEqual({ surface: 'page a', values: new Map([[1, 'the s3cret-word']]) });
  });

  test('drops a state that is too large for events', async () => {
    points.stepCompleted(at('page a'), 0, go);
    await points.whenSaved();
    points.consumePending();
    const quotes = (bytes: number) => '"'.repeat(bytes);
    points.stepCompleted(at(quotes(MAX_EVENT_BYTES / 3)), 1, go);
    await points.whenSaved();
    points.stepCompleted(at('never asked'), 2, look);
    expect([points.consumePending(), points.latest]).toEqual([undefined, { step: 1 }]);
    points.stepCompleted(at(quotes(MAX_EVENT_BYTES / 5)), 3, go);
    await points.whenSaved();
    const saved = points.consumePending();
    expect(saved?.step).toBe(4);
    expect(JSON.stringify({ saved }).length).toBeLessThan(MAX_EVENT_BYTES);
  });
});
