import { aClaimHistory } from '@pilothouse/testing/agent-builders';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { checkClaim } from '../steps/goal/page-checks.ts';
import { observeStablePage, STABLE_MS } from './page-observer.ts';

const claim = { answer: null, anchor: null, indicators: ['Rope'] };
const step = { action: 'goal' as const, goal: 'Look' };

const page: Observation = {
  url: 'https://shop.test/',
  title: 'Shop',
  document: 1,
  loading: false,
  viewport: { width: 1000, height: 800 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements: [],
  opaqueRegions: [],
};

/** A surface whose first observation fails. */
async function changing(code: ErrorCode) {
  const [log, signal] = [memoryLog(), new AbortController().signal];
  const context = { signal, deadline: systemClock.monotonic() + 10_000, log };
  const surface: Surface = await new NullSurfaceHost().open({ folder: '/tmp' }, context);
  let observationCount = 0;
  surface.observe = async () => {
    observationCount += 1;
    if (observationCount === 1) throw new PilothouseError(code, 'The page went away');
    return page;
  };
  return {
    scope: { surface, signal, clock: systemClock, timers: systemTimers, log },
    observationCount: () => observationCount,
  };
}

const evidence = { history: aClaimHistory() };

test('observes again if the page changes during the check of a claim', async () => {
  const { scope, observationCount } = await changing('TARGET_NOT_ACTIONABLE');
  expect(await checkClaim(claim, step, true, scope, evidence)).toMatchObject({ result: 'undecided' });
  expect(observationCount()).toBe(2);
});

test('does not observe a lost surface again', async () => {
  const { scope, observationCount } = await changing('SURFACE_LOST');
  await expect(checkClaim(claim, step, true, scope, evidence)).rejects.toMatchObject({ code: 'SURFACE_LOST' });
  expect(observationCount()).toBe(1);
});

test('checks a claim without an element list if URL and title decide', async () => {
  const { scope, observationCount } = await changing('SURFACE_LOST');
  scope.surface.anchors = async () => page;
  scope.surface.isMet = async ({ url }) => url === 'shop.test';
  const verdict = await checkClaim(claim, { ...step, expect: { url: 'shop.test' } }, true, scope, evidence);
  expect(verdict).toEqual({ result: 'met', verifiedBy: 'condition' });
  expect(await checkClaim(claim, { ...step, expect: { url: 'x.test' } }, true, scope, evidence)).toMatchObject({
    result: 'not-met',
  });
  const elsewhere = { answer: null, anchor: 'Cart', indicators: [] };
  expect(await checkClaim(elsewhere, step, true, scope, evidence)).toMatchObject({ result: 'not-met' });
  expect(observationCount()).toBe(0);
});

test('an undecided claim is stable while recognized text flickers', async () => {
  const { scope } = await changing('TARGET_NOT_ACTIONABLE');
  let observationCount = 0;
  scope.surface.observe = async () => {
    const text = observationCount++ % 2 === 0 ? 'Total 5' : 'Tota1 5';
    return { ...page, text: { text, length: text.length, isRecognized: true } };
  };
  // The clock advances by 200 ms with each observation: a second instead of five.
  const clock: Clock = { ...systemClock, monotonic: () => observationCount * 200 };
  const timers: Timers = { ...systemTimers, delay: () => Promise.resolve() };
  const verdict = await checkClaim(claim, step, false, { ...scope, clock, timers }, evidence);
  expect(verdict).toMatchObject({ result: 'undecided' });
  expect(observationCount).toBeLessThan(10);
});

describe('a page is stable before a model sees it', () => {
  const button = (name: string): Observation['elements'][number] => ({
    index: 0,
    interactive: true,
    role: 'button',
    name,
    state: {},
    tags: [],
    bounds: { x: 0, y: 0, width: 10, height: 10 },
  });
  const first = { ...page, elements: [button('First')] };
  const second = { ...page, elements: [button('Second')] };

  /** A surface that shows these pages in sequence and stays on the last one. */
  async function showing(pages: Observation[], isResting: boolean, clock: Clock, timers: Timers = systemTimers) {
    const [log, signal] = [memoryLog(), new AbortController().signal];
    const surface: Surface = await new NullSurfaceHost().open(
      { folder: '/tmp' },
      { signal, deadline: systemClock.monotonic() + 10_000, log },
    );
    let observationCount = 0;
    surface.observe = async () => pages[Math.min(observationCount++, pages.length - 1)] as Observation;
    surface.waitUntilIdle = async () => isResting;
    const notified: Observation[] = [];
    const page = await observeStablePage('view', STABLE_MS, { surface, signal, clock, timers, log }, (observation) =>
      notified.push(observation),
    );
    return { page, observations: observationCount, notified };
  }

  /** A clock that never advances. */
  const frozen: Clock = { now: () => new Date(0), monotonic: () => 0 };

  test('ends after two equal observations if nothing is pending', async () => {
    expect(await showing([first], true, frozen)).toEqual({ page: first, observations: 2, notified: [first] });
    expect(await showing([first, second], true, frozen)).toEqual({ page: second, observations: 3, notified: [first] });
    const loading = { ...first, loading: true };
    expect(await showing([loading, first], true, frozen)).toEqual({ page: first, observations: 3, notified: [first] });
  });

  test('otherwise takes the whole time', async () => {
    const timers = new ManualTimers();
    let isOver = false;
    const shown = showing([first, first, second], false, timers, timers).finally(() => (isOver = true));
    await timers.advance(STABLE_MS - 1);
    expect(isOver).toBe(false);
    await timers.advance(STABLE_MS);
    expect([first, second]).toContainEqual((await shown).page);
  });
});
