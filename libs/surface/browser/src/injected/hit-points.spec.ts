import { visibleCenter } from './hit-points.ts';

const view = { width: 1000, height: 700 };

test.each([
  ['inside', { left: 100, top: 50, right: 200, bottom: 70 }, [{ x: 150, y: 60 }]],
  ['cut at the left', { left: -100, top: 50, right: 100, bottom: 70 }, [{ x: 50, y: 60 }]],
  ['cut at the bottom', { left: 0, top: 600, right: 100, bottom: 900 }, [{ x: 50, y: 650 }]],
  ['larger than the view', { left: -500, top: -500, right: 2000, bottom: 2000 }, [{ x: 500, y: 350 }]],
  ['below the view', { left: 0, top: 700, right: 100, bottom: 800 }, []],
  ['less than a pixel wide', { left: 10, top: 10, right: 10.5, bottom: 90 }, []],
])('center of the visible part of a box %s', (_, rect, expected) => {
  expect(visibleCenter(rect, view)).toEqual(expected);
});
