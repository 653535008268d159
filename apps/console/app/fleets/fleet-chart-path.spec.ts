import type { FleetHistory } from '@pilothouse/contract/fleet/fleet.schema';
import { frameOf, pathOf } from './fleet-chart-path.ts';

const span = (time: string, waiting: number, slots = 4) => ({ at: time, waiting, running: 0, workers: 1, slots });
const history: FleetHistory = {
  from: '2026-11-22T12:00:00.000Z',
  to: '2026-11-22T12:01:15.000Z',
  stepSeconds: 15,
  spans: [
    span('2026-11-22T12:00:00.000Z', 0),
    span('2026-11-22T12:00:15.000Z', 8),
    span('2026-11-22T12:01:00.000Z', 2),
  ],
  decisions: [],
};

test('a history is drawn by bucket, with gaps for missing data', () => {
  const frame = frameOf(history);
  expect([frame.bucketCount, frame.last, frame.max]).toEqual([5, 4, 8]);
  expect(pathOf(frame, ({ waiting }) => waiting, 80)).toBe('M0 80H1V0H2M4 60H5');
  expect(pathOf(frame, ({ waiting }) => waiting, 80, true)).toBe('M0 80V80H1V0H2V80ZM4 80V60H5V80Z');
});

test('a history without data is empty', () => {
  expect(pathOf(frameOf({ ...history, spans: [] }), ({ slots }) => slots, 80)).toBe('');
});
