import { buttonName } from './accessible-names.ts';
import { positionText } from './element-context.ts';
import { fileNameIn, technicalNameIn } from './fallback-name.ts';

test.each([
  [{ 'data-testid': 'save', id: 'b1' }, 'save'],
  [{ id: ' b1 ', class: 'x' }, 'b1'],
  [{ 'data-icon': '', class: 'btn btn-icon  trash red' }, 'btn.btn-icon.trash'],
  [{}, ''],
])('technical name of an element with %j is %p', (attributes, expected) => {
  expect(technicalNameIn((name) => (attributes as Record<string, string>)[name] ?? null)).toBe(expected);
});

test.each([
  ['/icons/trash.svg?v=3#a', 'trash.svg'],
  ['cart.png', 'cart.png'],
  [null, undefined],
])('file name in %p is %p', (address, expected) => {
  expect(fileNameIn(address)).toBe(expected);
});

test('a position is reported for 2 to 50 similar elements', () => {
  expect([positionText(0, 1), positionText(1, 3), positionText(49, 50), positionText(3, 51)]).toEqual([
    '',
    '2 of 3',
    '50 of 50',
    '',
  ]);
});

test.each([
  [{ type: 'submit', value: '', alt: '' }, 'Submit'],
  [{ type: 'reset', value: 'Clear', alt: '' }, 'Clear'],
  [{ type: 'button', value: '', alt: '' }, ''],
  [{ type: 'image', value: 'go', alt: 'Search' }, 'Search'],
  [{ type: 'text', value: 'Ada', alt: '' }, null],
])('name of the native button %j is %p', (input, expected) => {
  expect(buttonName(input)).toBe(expected);
});
