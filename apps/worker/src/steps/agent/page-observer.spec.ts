import { PilothouseError, type ErrorCode, type Observation } from '@pilothouse/contract';
import { systemClock, systemTimers, type Clock, type Surface } from '@pilothouse/core';
import { memoryLog } from '@pilothouse/testing';
import { NullSurfaceHost } from '../../surface/null.surface.ts';
import { checkClaim } from '../goal/page-checks.ts';
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
  let looks = 0;
  surface.observe = async () => {
    looks += 1;
    if (looks === 1) throw new PilothouseError(code, 'The page went away');
    return page;
  };
  return { parts: { surface, signal, clock: systemClock, timers: systemTimers, log }, looks: () => looks };
}

test('observes again if the page changes during the check of a claim', async () => {
  const { parts, looks } = await changing('TARGET_NOT_ACTIONABLE');
  expect(await checkClaim(claim, step, true, parts)).toMatchObject({ result: 'undecided' });
  expect(looks()).toBe(2);
});

test('does not observe a lost surface again', async () => {
  const { parts, looks } = await changing('SURFACE_LOST');
  await expect(checkClaim(claim, step, true, parts)).rejects.toMatchObject({ code: 'SURFACE_LOST' });
  expect(looks()).toBe(1);
});

test('checks a claim without an element list if URL and title decide', async () => {
  const { parts, looks } = await changing('SURFACE_LOST');
  parts.surface.anchors = async () => page;
  parts.surface.isMet = async ({ url }) => url === 'shop.test';
  const met = await checkClaim(claim, { ...step, expect: { url: 'shop.test' } }, true, parts);
  expect(met).toEqual({ result: 'met', by: 'condition' });
  expect(await checkClaim(claim, { ...step, expect: { url: 'x.test' } }, true, parts)).toMatchObject({
    result: 'not-met',
  });
  const elsewhere = { answer: null, anchor: 'Cart', indicators: [] };
  expect(await checkClaim(elsewhere, step, true, parts)).toMatchObject({ result: 'not-met' });
  expect(looks()).toBe(0);
});

describe('a page stands still before it is shown to a model', () => {
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
  async function showing(pages: Observation[], isResting: boolean, clock: Clock) {
    const [log, signal] = [memoryLog(), new AbortController().signal];
    const surface: Surface = await new NullSurfaceHost().open(
      { folder: '/tmp' },
      { signal, deadline: systemClock.monotonic() + 10_000, log },
    );
    let looks = 0;
    surface.observe = async () => pages[Math.min(looks++, pages.length - 1)] as Observation;
    surface.waitUntilIdle = async () => isResting;
    const told: Observation[] = [];
    const seen = await observeStablePage(
      'view',
      STABLE_MS,
      { surface, signal, clock, timers: systemTimers, log },
      (one) => told.push(one),
    );
    return { seen, looks, told };
  }

  /** A clock that never advances. */
  const frozen: Clock = { now: () => new Date(0), monotonic: () => 0 };

  test('ends after two equal observations if nothing is pending', async () => {
    expect(await showing([first], true, frozen)).toEqual({ seen: first, looks: 2, told: [first] });
    expect(await showing([first, second], true, frozen)).toEqual({ seen: second, looks: 3, told: [first] });
    const loading = { ...first, loading: true };
    expect(await showing([loading, first], true, frozen)).toEqual({ seen: first, looks: 3, told: [first] });
  });

  test('otherwise takes the whole time', async () => {
    const began = performance.now();
    const { seen } = await showing([first, first, second], false, systemClock);
    expect(performance.now() - began).toBeGreaterThanOrEqual(STABLE_MS);
    expect([first, second]).toContainEqual(seen);
  });
});
