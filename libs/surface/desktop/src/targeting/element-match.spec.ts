import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { locatorsOf } from './element-locators.ts';
import { matchElements, narrowMatches } from './element-match.ts';

let next = 0;
const element = (
  role: string,
  name: string,
  x: number,
  y: number,
  overrides: Partial<DesktopElement> = {},
): DesktopElement => ({
  index: next++,
  interactive: true,
  role,
  name,
  state: {},
  tags: [],
  bounds: { x, y, width: 40, height: 20 },
  node: { bus: ':1.1', path: `/${next}`, role: 0, name, states: [0, 0], extents: { x, y, width: 40, height: 20 } },
  ...overrides,
});

const group = element('list', 'Files', 0, 100, { bounds: { x: 0, y: 100, width: 200, height: 100 } });
const elements = [
  element('button', 'Save', 0, 0),
  element('button', 'Save As…', 50, 0),
  element('button', 'Cancel', 100, 0),
  element('textbox', '', 60, 50, { fallbackName: 'Name', value: 'notes.txt' }),
  group,
  element('listitem', 'a.txt', 10, 110),
  element('listitem', 'b.txt', 10, 140),
];
const boundsOf = (locator: Locator | undefined) =>
  locator === undefined ? null : (matchElements(elements, locator)[0]?.bounds ?? null);
const names = (locator: Locator) =>
  narrowMatches(
    matchElements(elements, locator).map((match) => ({ element: match, bounds: match.bounds })),
    locator,
    boundsOf(locator.within),
    boundsOf(locator.near),
  ).map(({ element: { name, fallbackName } }) => name || fallbackName);

test('the label of an editable combobox finds the text box in it', () => {
  const combobox = element('combobox', '', 0, 0, { fallbackName: 'Search for' });
  const field = element('textbox', '', 2, 2, {
    fallbackName: 'Search for',
    bounds: { x: 2, y: 2, width: 20, height: 16 },
  });
  expect(matchElements([combobox, field], { label: 'Search for' })).toEqual([field]);
  expect(matchElements([combobox], { label: 'Search for' })).toEqual([combobox]);
});

test('a part of the name of a toolbar button means the button, and its full name the arrow of its menu', () => {
  const button = element('button', 'Font Color', 0, 0);
  const arrow = element('button', 'Font Color menu', 30, 0, {
    node: { ...button.node, key: `${button.node.path}#menu` },
  });
  const found = (locator: Locator) => matchElements([button, arrow], locator);
  expect(found({ role: 'button', name: 'Font Color' })).toEqual([button]);
  expect(found({ text: 'font' })).toEqual([button]);
  expect(found({ role: 'button', name: 'Font Color menu' })).toEqual([arrow]);
});

test('a name by place matches only as a whole, and an unnamed image only by that name', () => {
  const [button, image, named] = ['unnamed button 1', 'unnamed image 1', ''].map((fallbackName, index) =>
    element('button', fallbackName === '' ? 'Go' : '', index * 50, 0, fallbackName === '' ? {} : { fallbackName }),
  ) as [DesktopElement, DesktopElement, DesktopElement];
  const listed = [image, button, named];
  for (const name of ['1', 'Name', 'image', 'Button'])
    expect(matchElements(listed, { role: 'button', name })).toEqual([]);
  expect(matchElements(listed, { role: 'button', name: 'unnamed image 1' })).toEqual([image]);
  expect(matchElements(listed, { role: 'button' })).toEqual([button, named]);
  expect(matchElements([image, named], { role: 'button' })).toEqual([named]);
  expect(locatorsOf(button, listed)).toEqual([{ role: 'button', name: 'unnamed button 1', exact: true }]);
  expect(locatorsOf(image, listed)).toEqual([{ role: 'button', name: 'unnamed image 1', exact: true }]);
});

test.each<[Locator, string[]]>([
  [{ role: 'button', name: 'save' }, ['Save', 'Save As…']],
  [{ role: 'button', name: 'Save', exact: true }, ['Save']],
  [{ role: 'button', name: 'Save', nth: -1 }, ['Save As…']],
  [{ role: 'button', name: 'Save', nth: 5 }, []],
  [{ label: 'name' }, ['Name']],
  [{ text: 'notes' }, ['Name']],
  [{ role: 'listitem', within: { role: 'list' } }, ['a.txt', 'b.txt']],
  [{ role: 'button', within: { role: 'list' } }, []],
  [{ role: 'listitem', pattern: '^b' }, ['b.txt']],
  [{ role: 'button', near: { label: 'Name' } }, ['Save As…']],
  [{ role: 'button', near: { role: 'button', name: 'Save As…' }, side: 'right' }, ['Cancel']],
  [{ role: 'button', near: { role: 'button', name: 'nothing' } }, []],
])('%j finds %j', (locator, found) => expect(names(locator)).toEqual(found));

describe('near in a form', () => {
  const label = (name: string, y: number) =>
    element('text', name, 10, y, { bounds: { x: 10, y, width: 60, height: 17 } });
  const field = (name: string, x: number, y: number, width: number, height = 28) =>
    element('textbox', name, x, y, { bounds: { x, y, width, height } });
  /** The text box of an editable combobox is narrower: its center is nearer to the label of the row above. */
  const form = [
    field('title', 80, 0, 500),
    field('user', 82, 36, 440),
    field('notes', 80, 72, 500, 120),
    field('amount', 300, 200, 200),
  ];
  const nearestTo = (anchor: DesktopElement, side?: Locator['side'], fields = form) =>
    narrowMatches(
      fields.map((each) => ({ element: each, bounds: each.bounds })),
      { near: {}, ...(side && { side }) },
      null,
      anchor.bounds,
    ).map((match) => match.element.name);

  test.each<[string, number, Locator['side'], string[]]>([
    ['a field of the row', 5, 'right', ['title']],
    ['a field of the row without a side', 5, undefined, ['title']],
    ['a narrower field of the row', 41, 'right', ['user']],
    ['a field of several lines', 76, 'right', ['notes']],
    ['a field far to the right', 206, 'right', ['amount']],
    ['no field of another row', 250, 'right', []],
    ['nothing on the other side', 5, 'left', []],
    ['the field in the column below', 5, 'below', ['user']],
    ['the field in the column above', 206, 'above', ['notes']],
  ])('finds %s', (_name, y, side, found) => {
    const anchor = label('Label:', y);
    // The label stands above the first column of fields.
    const moved = side === 'below' || side === 'above' ? { ...anchor, bounds: { ...anchor.bounds, x: 90 } } : anchor;
    expect(nearestTo(moved, side)).toEqual(found);
  });

  test('a field of the same column comes before a nearer one of another column', () => {
    const anchor = label('Street', 0);
    const columns = [field('city', 75, 20, 60), field('street', 10, 30, 50)];
    expect(nearestTo(anchor, 'below', columns)).toEqual(['street']);
  });

  test('a field below and slightly to the side comes before one far below in the column', () => {
    const anchor = label('Street', 0);
    const beside = field('beside', 80, 22, 200);
    expect(nearestTo(anchor, 'below', [field('far', 10, 817, 60), beside])).toEqual(['beside']);
    const below = { ...anchor, bounds: { ...anchor.bounds, y: 900 } };
    expect(nearestTo(below, 'above', [field('far', 10, 20, 60), field('near', 80, 867, 200)])).toEqual(['near']);
  });

  test('a field of the next row that overlaps by a few pixels is not in the row', () => {
    expect(nearestTo(label('Title:', 5), 'right', [field('next', 80, 20, 440)])).toEqual([]);
    expect(nearestTo(label('Title:', 5), 'right', [field('low', 80, 15, 440)])).toEqual(['low']);
  });
});
