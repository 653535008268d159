import { elementAt, elementLabel, type VisibleElement } from './page-inspection.ts';

const visibleElement = (element: number, x: number, y: number, width: number, height: number): VisibleElement => ({
  element,
  role: 'button',
  name: `${element}`,
  interactive: true,
  bounds: { x, y, width, height },
});
const elements = [
  visibleElement(1, 0, 0, 500, 500),
  visibleElement(2, 100, 100, 50, 50),
  visibleElement(3, 90, 90, 200, 200),
];

test.each([
  [{ x: 120, y: 120 }, 2],
  [{ x: 280, y: 280 }, 3],
  [{ x: 499, y: 2 }, 1],
  [{ x: 501, y: 2 }, undefined],
])('the innermost element at %j is found', (point, element) =>
  expect(elementAt(elements, point)?.element).toBe(element),
);

test('an element without a name is labeled by its role', () =>
  expect(
    elements.slice(0, 1).map((element) => [elementLabel(element), elementLabel({ ...element, name: '' })]),
  ).toEqual([['button “1”', 'button']]));
