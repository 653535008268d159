import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { elementAt } from '../../run/element-picker/page-inspection.ts';
import { boundsInViewport, recordedElements } from './recorded-elements.ts';

const viewport = { width: 500, height: 200 };

test.each([
  [
    { x: 50, y: 20, width: 100, height: 40 },
    { x: 100, y: 100, width: 200, height: 200 },
  ],
  [
    { x: -50, y: 180, width: 100, height: 40 },
    { x: 0, y: 900, width: 100, height: 100 },
  ],
  [{ x: 600, y: 0, width: 10, height: 10 }, null],
])('bounds %j are %j in thousandths', (bounds, expected) =>
  expect(boundsInViewport(bounds, viewport)).toEqual(expected),
);

test('a viewport without a size has no bounds', () => {
  expect(boundsInViewport({ x: 0, y: 0, width: 10, height: 10 }, { width: 0, height: 0 })).toBeNull();
});

test('an element of a record is found by its point', () => {
  const record = turnRecord();
  const [element] = record.observation.elements;
  if (!element) throw new Error('The record has no element');
  const { x, y, width, height } = element.bounds;
  const point = { x: ((x + width / 2) / 1000) * 1000, y: ((y + height / 2) / 800) * 1000 };
  expect(elementAt(recordedElements(record), point)).toMatchObject({ element: element.index, name: element.name });
});
