import { innerViewport } from './frame-viewport.ts';

const frame = {} as Element;
const outer = {
  document: {} as Document,
  frameElement: null,
  outer: null,
  ...{ x: 10, y: 20, scale: 1, left: 0, top: 0, right: 1000, bottom: 700 },
};

test('the viewport of a frame starts inside its border and padding', () => {
  const box = { rect: { left: 100, top: 200, width: 300 }, offsetWidth: 300, insetLeft: 2, insetTop: 3 };
  const visiblePart = { left: 100, top: 200, right: 400, bottom: 350 };
  expect(innerViewport(frame, box, visiblePart, outer)).toEqual({
    frameElement: frame,
    outer,
    ...{ x: 112, y: 223, scale: 1, left: 0, top: 0, right: 298, bottom: 147 },
  });
});

test('a frame that is shown at half of its size has two of its pixels in one', () => {
  const box = { rect: { left: 0, top: 0, width: 150 }, offsetWidth: 300, insetLeft: 0, insetTop: 0 };
  const visiblePart = { left: 50, top: 0, right: 150, bottom: 100 };
  const { x, y, scale, left, right, bottom } = innerViewport(frame, box, visiblePart, outer);
  expect({ x, y, scale, left, right, bottom }).toEqual({
    x: 10,
    y: 20,
    scale: 0.5,
    left: 100,
    right: 300,
    bottom: 200,
  });
});

test('a frame without a layout box keeps its scale', () => {
  const box = { rect: { left: 0, top: 0, width: 150 }, offsetWidth: 0, insetLeft: 0, insetTop: 0 };
  expect(innerViewport(frame, box, { left: 0, top: 0, right: 1, bottom: 1 }, outer).scale).toBe(1);
});
