import type { Saved, Step } from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { MAX_EVENT_BYTES } from '@pilothouse/infra-link';
import { memoryLog, until } from '@pilothouse/testing';
import { readState, SafePoints } from './safe-points.ts';

const go: Step = { action: 'navigate', url: 'https://portal.test' };
const click: Step = { action: 'click', target: { text: 'Next' } };
const look: Step = { action: 'extract', target: { css: 'h1' }, value: {} };

describe('safe points', () => {
  const hidden = new Map<number, string>();
  let ahead: Saved[];
  let points: SafePoints;
  /** A surface that says this state when it is told to. */
  const surface = (state: string | null) => {
    let say = () => {};
    const saved = new Promise<string | null>((resolve) => (say = () => resolve(state)));
    return { save: () => saved, say };
  };
  const at = (state: string | null) => ({ save: () => Promise.resolve(state) });
  const stateOf = (saved: Saved | undefined) =>
    saved?.state === undefined ? undefined : readState(saved.state, [])?.surface;

  beforeEach(() => {
    ahead = [];
    hidden.clear();
    points = new SafePoints(
      {
        hidden,
        clock: systemClock,
        log: memoryLog(),
        signal: new AbortController().signal,
        sendAhead: (saved) => void ahead.push(saved),
      },
      null,
    );
  });

  test('a state goes with the next events once, and ahead of them when they are long in coming', async () => {
    points.after(at('page a'), 0, go);
    await until('it goes ahead', () => ahead.length === 1);
    expect(stateOf(ahead[0])).toBe('page a');
    const saved = points.take();
    expect(saved).toEqual(ahead[0]);
    expect(saved?.step).toBe(1);
    expect(points.take()).toBeUndefined();
  });

  test('steps that only look move it on without saying the state again', async () => {
    points.after(at('page a'), 0, go);
    await points.settled();
    points.take();
    points.after(at('never asked'), 1, look);
    expect(points.take()).toEqual({ step: 2 });
    expect(points.last).toEqual({ step: 2 });
  });

  test('after input there is none until the next page', async () => {
    points.after(at('page a'), 0, go);
    await points.settled();
    points.take();
    points.after(at(null), 1, click);
    await points.settled();
    points.after(at(null), 2, look);
    expect(points.take()).toBeUndefined();
    expect(points.last).toEqual({ step: 1 });
    points.after(at('page b'), 3, click);
    await points.settled();
    expect(stateOf(points.take())).toBe('page b');
    expect(points.last).toEqual({ step: 4 });
  });

  test('a state that comes late is still that of its step, and never replaces a newer one', async () => {
    const slow = surface('page a');
    points.after(slow, 0, go);
    const first = points.settled();
    points.after(at(null), 1, click);
    slow.say();
    await first;
    expect(points.take()).toMatchObject({ step: 1 });
    const slower = surface('page c');
    points.after(slower, 2, go);
    const third = points.settled();
    points.after(at('page d'), 3, go);
    await points.settled();
    slower.say();
    await third;
    expect(stateOf(points.take())).toBe('page d');
  });

  test('keeps what events show masked', async () => {
    points.after(at('page a'), 0, go);
    await points.settled();
    points.take();
    hidden.set(1, 'the s3cret-word');
    points.after(at('never asked'), 1, look);
    const { state = '', step } = points.take() ?? {};
    expect(step).toBe(2);
    expect(readState(state, [])).toEqual({ surface: 'page a', values: new Map([[1, 'the s3cret-word']]) });
  });

  test('leaves out a state that events could not be written with', async () => {
    points.after(at('page a'), 0, go);
    await points.settled();
    points.take();
    const quotes = (bytes: number) => '"'.repeat(bytes);
    points.after(at(quotes(MAX_EVENT_BYTES / 3)), 1, go);
    await points.settled();
    points.after(at('never asked'), 2, look);
    expect([points.take(), points.last]).toEqual([undefined, { step: 1 }]);
    points.after(at(quotes(MAX_EVENT_BYTES / 5)), 3, go);
    await points.settled();
    const saved = points.take();
    expect(saved?.step).toBe(4);
    expect(JSON.stringify({ saved }).length).toBeLessThan(MAX_EVENT_BYTES);
  });

  test('reads what the version before control flow wrote, by id', () => {
    const old = JSON.stringify({ v: 1, surface: 'page a', values: { word: 'hidden' } });
    expect(readState(old, [{}, { id: 'word' }])).toEqual({ surface: 'page a', values: new Map([[1, 'hidden']]) });
    expect(readState(JSON.stringify({ v: 3, surface: '', values: {} }), [])).toBeNull();
  });
});
