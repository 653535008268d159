import type { Wait } from '../run-state.ts';
import { timeScaleOf } from './time-scale.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const HOUR_MS = 3_600_000;
const range = (ms: number) => ({ start: START, end: START + ms });
const wait = (kind: Wait['kind'], start: number, end: number | null): Wait => ({
  kind,
  startedAt: new Date(START + start).toISOString(),
  endedAt: end === null ? null : new Date(START + end).toISOString(),
});

test('without waits, positions are proportional to time', () => {
  const { fractionOf, msAt, compressedWaits } = timeScaleOf({ waits: [] }, range(10_000));
  expect([0, 2_500, 10_000].map((ms) => fractionOf(START + ms))).toEqual([0, 0.25, 1]);
  expect(msAt(0.25)).toBe(START + 2_500);
  expect(compressedWaits).toEqual([]);
});

test('a long wait takes a small part of the axis, and steps take the rest', () => {
  const waits = [wait('awaiting_user', 4_000, 4_000 + HOUR_MS)];
  const { fractionOf, compressedWaits } = timeScaleOf({ waits }, range(HOUR_MS + 8_000));
  expect(compressedWaits).toEqual([{ kind: 'awaiting_user', durationMs: HOUR_MS, left: 0.47, width: 0.06 }]);
  expect(fractionOf(START + 2_000)).toBeCloseTo(0.235);
  expect(fractionOf(START + 4_000 + HOUR_MS / 2)).toBeCloseTo(0.5);
  expect(fractionOf(START + HOUR_MS + 6_000)).toBeCloseTo(0.765);
});

test('a position is converted to the time that it shows', () => {
  const waits = [wait('awaiting_user', 4_000, HOUR_MS), wait('queued', HOUR_MS, 2 * HOUR_MS)];
  const { fractionOf, msAt } = timeScaleOf({ waits }, range(2 * HOUR_MS + 6_000));
  for (const ms of [0, 1_000, 4_000, HOUR_MS / 2, HOUR_MS, 2 * HOUR_MS + 3_000])
    expect(msAt(fractionOf(START + ms))).toBeCloseTo(START + ms, 0);
});

test.each([
  ['a short wait', [wait('queued', 1_000, 1_500)], 10_000],
  ['a wait before the axis', [wait('queued', -HOUR_MS, 0)], 10_000],
])('%s is not compressed', (_, waits, ms) => {
  expect(timeScaleOf({ waits }, range(ms)).compressedWaits).toEqual([]);
});

test('an open wait reaches to the end of the axis', () => {
  const { compressedWaits, fractionOf } = timeScaleOf({ waits: [wait('awaiting_user', 4_000, null)] }, range(HOUR_MS));
  expect(compressedWaits).toMatchObject([{ durationMs: HOUR_MS - 4_000, width: 0.06 }]);
  expect(fractionOf(START + 4_000)).toBeCloseTo(0.94);
  expect(fractionOf(START + HOUR_MS)).toBe(1);
});

test('many waits take at most 40 % of the axis', () => {
  const waits = Array.from({ length: 50 }, (_, n) => wait('awaiting_user', n * HOUR_MS + 1_000, (n + 1) * HOUR_MS));
  const { compressedWaits } = timeScaleOf({ waits }, range(50 * HOUR_MS));
  expect(compressedWaits).toHaveLength(50);
  expect(compressedWaits.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(0.4);
});
