import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { MAX_SLOT_LOSS_MS, SlotLossWatch } from './slot-loss-watch.ts';

let lost: number;
let timers: ManualTimers;
let watch: SlotLossWatch;
let limits: number[];
let changes: number;
let report: () => void;
const setLost = (count: number) => {
  lost = count;
  report();
};

beforeEach(() => {
  lost = 1;
  timers = new ManualTimers();
  limits = [];
  changes = 0;
  watch = new SlotLossWatch({
    slotLoss: { count: () => lost, onChange: (listener) => void (report = listener) },
    timers,
    onChange: () => (changes += 1),
    onLimit: (count) => limits.push(count),
  });
});

test('reports slots that stay lost, once', async () => {
  await timers.advance(MAX_SLOT_LOSS_MS - 1);
  setLost(2);
  expect(limits).toEqual([]);
  await timers.advance(1);
  expect(limits).toEqual([2]);
  setLost(0);
  setLost(1);
  await timers.advance(MAX_SLOT_LOSS_MS);
  expect(limits).toEqual([2]);
  expect(changes).toBe(3);
});

test('a slot that comes back has the whole time again', async () => {
  await timers.advance(MAX_SLOT_LOSS_MS - 1);
  setLost(0);
  setLost(1);
  await timers.advance(MAX_SLOT_LOSS_MS - 1);
  expect(limits).toEqual([]);
  watch.stop();
  await timers.advance(MAX_SLOT_LOSS_MS);
  expect(limits).toEqual([]);
});
