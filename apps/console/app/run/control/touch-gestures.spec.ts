import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { TouchGestures, type TouchPoint, type Gesture } from './touch-gestures.ts';

const finger = (clientX: number, clientY: number, pointerId = 1): TouchPoint => ({ pointerId, clientX, clientY });

let gestures: Gesture[];
let touches: TouchGestures;
let timers: ManualTimers;
beforeEach(() => {
  timers = new ManualTimers();
  gestures = [];
  touches = new TouchGestures((gesture) => gestures.push(gesture), timers);
});

test('a short touch is a tap', () => {
  touches.down(finger(10, 20));
  touches.move(finger(14, 22));
  touches.up(finger(14, 22));
  expect(gestures).toEqual([{ kind: 'tap', point: { clientX: 14, clientY: 22 } }]);
});

test('a long press is reported once, and is not a tap', async () => {
  touches.down(finger(10, 20));
  await timers.advance(1_000);
  touches.move(finger(90, 20));
  touches.up(finger(90, 20));
  expect(gestures).toEqual([{ kind: 'long', point: { clientX: 10, clientY: 20 } }]);
});

test('a moving finger pans, and neither taps nor presses long', async () => {
  touches.down(finger(10, 100));
  touches.move(finger(10, 80));
  await timers.advance(1_000);
  touches.move(finger(12, 75));
  touches.up(finger(12, 75));
  expect(gestures).toEqual([
    { kind: 'pan', point: { clientX: 10, clientY: 80 }, dx: 0, dy: 20 },
    { kind: 'pan', point: { clientX: 12, clientY: 75 }, dx: -2, dy: 5 },
  ]);
});

test('two fingers are ignored until both are lifted', async () => {
  touches.down(finger(10, 10));
  touches.down(finger(50, 50, 2));
  touches.move(finger(90, 90, 2));
  await timers.advance(1_000);
  touches.up(finger(90, 90, 2));
  touches.move(finger(60, 60));
  touches.up(finger(60, 60));
  expect(gestures).toEqual([]);
  touches.down(finger(1, 2));
  touches.up(finger(1, 2));
  expect(gestures).toHaveLength(1);
});
