import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
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
