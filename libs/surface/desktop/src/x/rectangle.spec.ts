import { subtractRectangles, type Rectangle } from './rectangle.ts';

const rectangle = (x: number, y: number, width: number, height: number): Rectangle => ({ x, y, width, height });
const whole = rectangle(10, 10, 100, 40);

test.each<[string, Rectangle[], Rectangle[]]>([
  ['nothing above', [], [whole]],
  ['one beside it', [rectangle(110, 10, 50, 40)], [whole]],
  ['one that covers it', [rectangle(0, 0, 200, 200)], []],
  ['one over its left half', [rectangle(0, 0, 60, 200)], [rectangle(60, 10, 50, 40)]],
  [
    'one inside it',
    [rectangle(50, 20, 20, 10)],
    [rectangle(10, 10, 100, 10), rectangle(10, 30, 100, 20), rectangle(10, 20, 40, 10), rectangle(70, 20, 40, 10)],
  ],
  ['two that cover it together', [rectangle(0, 0, 60, 200), rectangle(60, 0, 60, 200)], []],
])('leaves the visible parts under %s', (_, above, visible) => {
  expect(subtractRectangles(whole, above)).toEqual(visible);
});
