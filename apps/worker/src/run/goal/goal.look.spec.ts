import { PilothouseError, type ErrorCode, type Observation } from '@pilothouse/contract';
import { systemClock, type Surface } from '@pilothouse/core';
import { memoryLog } from '@pilothouse/testing';
import { NullHost } from '../../surface/null.surface.ts';
import { check } from './goal.check.ts';

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
  unseen: [],
};

/** A surface that cannot say what it shows the first time. */
async function changing(code: ErrorCode) {
  const [log, halt] = [memoryLog(), new AbortController().signal];
  const context = { signal: halt, deadline: systemClock.monotonic() + 10_000, log };
  const surface: Surface = await new NullHost().open({ folder: '/tmp' }, context);
  let looks = 0;
  surface.observe = async () => {
    looks += 1;
    if (looks === 1) throw new PilothouseError(code, 'The page went away');
    return page;
  };
  return { parts: { surface, halt, clock: systemClock, log }, looks: () => looks };
}

test('a page that changes while a claim is checked is looked at again', async () => {
  const { parts, looks } = await changing('TARGET_NOT_READY');
  expect(await check(claim, step, true, parts)).toMatchObject({ result: 'undecided' });
  expect(looks()).toBe(2);
});

test('a surface that is lost is not', async () => {
  const { parts, looks } = await changing('SURFACE_LOST');
  await expect(check(claim, step, true, parts)).rejects.toMatchObject({ code: 'SURFACE_LOST' });
  expect(looks()).toBe(1);
});

test('a claim that where the page is decides is checked without a list', async () => {
  const { parts, looks } = await changing('SURFACE_LOST');
  parts.surface.anchors = async () => page;
  parts.surface.holds = async ({ url }) => url === 'shop.test';
  const met = await check(claim, { ...step, expect: { url: 'shop.test' } }, true, parts);
  expect(met).toEqual({ result: 'met', by: 'condition' });
  expect(await check(claim, { ...step, expect: { url: 'x.test' } }, true, parts)).toMatchObject({ result: 'not-met' });
  const elsewhere = { answer: null, anchor: 'Cart', indicators: [] };
  expect(await check(elsewhere, step, true, parts)).toMatchObject({ result: 'not-met' });
  expect(looks()).toBe(0);
});
