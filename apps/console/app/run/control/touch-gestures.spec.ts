import { jest } from '@jest/globals';
import { TouchGestures, type TouchPoint, type Gesture } from './touch-gestures.ts';

const finger = (clientX: number, clientY: number, pointerId = 1): TouchPoint => ({ pointerId, clientX, clientY });

let told: Gesture[];
let touches: TouchGestures;
beforeEach(() => {
  jest.useFakeTimers();
  told = [];
  touches = new TouchGestures((gesture) => told.push(gesture));
});
afterEach(() => jest.useRealTimers());

test('a finger that comes up where it went down taps', () => {
  touches.down(finger(10, 20));
  touches.move(finger(14, 22));
  touches.up(finger(14, 22));
  expect(told).toEqual([{ kind: 'tap', at: { clientX: 14, clientY: 22 } }]);
});

test('one that stays is told once, and taps no more', () => {
  touches.down(finger(10, 20));
  jest.advanceTimersByTime(1_000);
  touches.move(finger(90, 20));
  touches.up(finger(90, 20));
  expect(told).toEqual([{ kind: 'long', at: { clientX: 10, clientY: 20 } }]);
});

test('one that moves pans, and neither taps nor is long', () => {
  touches.down(finger(10, 100));
  touches.move(finger(10, 80));
  jest.advanceTimersByTime(1_000);
  touches.move(finger(12, 75));
  touches.up(finger(12, 75));
  expect(told).toEqual([
    { kind: 'pan', at: { clientX: 10, clientY: 80 }, dx: 0, dy: 20 },
    { kind: 'pan', at: { clientX: 12, clientY: 75 }, dx: -2, dy: 5 },
  ]);
});

test('two mean nothing until both are up', () => {
  touches.down(finger(10, 10));
  touches.down(finger(50, 50, 2));
  touches.move(finger(90, 90, 2));
  jest.advanceTimersByTime(1_000);
  touches.up(finger(90, 90, 2));
  touches.move(finger(60, 60));
  touches.up(finger(60, 60));
  expect(told).toEqual([]);
  touches.down(finger(1, 2));
  touches.up(finger(1, 2));
  expect(told).toHaveLength(1);
});
