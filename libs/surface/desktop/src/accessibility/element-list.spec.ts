import { ElementList } from './element-list.ts';
import { stateSetOf, type StateName, type StateSet } from './states.ts';
import type { AccessibleNode } from './accessible-node.ts';

const screen = { x: 0, y: 0, width: 1000, height: 800 };
const HEADER = 57;
const BUTTON = 43;
const node = (path: string, role: number, name: string, x: number): AccessibleNode => ({
  bus: ':1.5',
  path,
  role,
  name,
  states: stateSetOf('enabled'),
  extents: { x, y: 0, width: 50, height: 20 },
});
const numbersOf = (list: ElementList, nodes: readonly AccessibleNode[], windowId = 1) =>
  list.update(windowId, nodes, screen).map(({ name, index }) => `${name} ${index}`);

test.each<[string, Partial<AccessibleNode>, string | undefined]>([
  ['a description that says more', { description: 'Save the current file' }, 'Save the current file'],
  ['the name again', { description: ' save' }, undefined],
  ['none', {}, undefined],
  ['the fallback name', { name: '', description: 'Save the current file' }, undefined],
  ['a label and a description', { name: '', label: 'File', description: 'Save' }, 'Save'],
  ['a long description', { description: 'x'.repeat(1_000) }, 'x'.repeat(300)],
])('an element has %s', (_, fields, description) => {
  const [element] = new ElementList().update(1, [{ ...node('/save', BUTTON, 'Save', 0), ...fields }], screen);
  expect(element?.description).toBe(description);
});

test('an editable paragraph can be clicked, and an empty one is listed only if it has the caret', () => {
  const bits = (...names: StateName[]): StateSet =>
    names.map(stateSetOf).reduce((sum, [low, high]) => [sum[0] | low, sum[1] | high], [0, 0] as [number, number]);
  const paragraph = (path: string, value: string, states: StateSet): AccessibleNode => ({
    ...node(path, 73, '', 0),
    value,
    states,
  });
  const elements = new ElementList().update(
    1,
    [
      paragraph('/1', 'Dear Ada,', bits('editable')),
      paragraph('/2', '', bits('editable')),
      paragraph('/3', '', bits('editable', 'focused')),
      paragraph('/4', 'Read only', bits('focusable')),
    ],
    screen,
  );
  expect(elements.map(({ role, name, interactive }) => [role, name, interactive])).toEqual([
    ['paragraph', 'Dear Ada,', true],
    ['paragraph', '', true],
    ['paragraph', 'Read only', false],
  ]);
});

test('headers that Qt recreates at each read keep their numbers', () => {
  const list = new ElementList();
  for (const read of [1, 2, 3])
    expect(
      numbersOf(list, [
        node('/save', BUTTON, 'Save', 0),
        node(`/new/${read}/1`, HEADER, 'Name', 100),
        node(`/new/${read}/2`, HEADER, 'Size', 200),
      ]),
    ).toEqual(['Save 0', 'Name 1', 'Size 2']);
});

test('an object at another position gets a new number, a returning one keeps its number', () => {
  const list = new ElementList();
  const [save, cancel] = [node('/save', BUTTON, 'Save', 0), node('/cancel', BUTTON, 'Cancel', 100)];
  expect(numbersOf(list, [save, cancel])).toEqual(['Save 0', 'Cancel 1']);
  expect(numbersOf(list, [save, node('/other', BUTTON, 'Cancel', 200)])).toEqual(['Save 0', 'Cancel 2']);
  expect(numbersOf(list, [save, cancel])).toEqual(['Save 0', 'Cancel 1']);
  expect(numbersOf(list, [cancel], 2)).toEqual(['Cancel 0']);
});

test('a list box that is named by its selected entry has the text beside it as label', () => {
  const [COMBOBOX, LABEL] = [11, 29];
  const nodes = [
    node('/label', LABEL, 'Sort key:', 0),
    { ...node('/box', COMBOBOX, 'Column A', 60), value: 'Column A' },
  ];
  const elements = new ElementList().update(1, nodes, screen);
  expect(elements.find(({ role }) => role === 'combobox')).toMatchObject({
    name: 'Column A',
    fallbackName: 'Sort key',
  });
});

test('buttons and small images without a name are named by their place, also in a read of buttons only', () => {
  const [IMAGE, CELL] = [27, 56];
  const [first, second] = [node('/b1', BUTTON, '', 0), node('/b2', BUTTON, '', 100)];
  const inButton = { ...node('/i0', IMAGE, '', 105), extents: { x: 105, y: 2, width: 16, height: 16 } };
  const image = (path: string, x: number, side = 24): AccessibleNode => ({
    ...node(path, IMAGE, '', x),
    extents: { x, y: 40, width: side, height: side },
  });
  const cell = { ...node('/c', CELL, 'Row', 200), extents: { x: 190, y: 35, width: 60, height: 40 } };
  const images = [
    image('/i3', 400),
    image('/i1', 0),
    image('/i2', 200),
    image('/line', 500, 2),
    image('/big', 600, 200),
  ];
  const listOf = (nodes: readonly AccessibleNode[]) =>
    new ElementList().update(1, nodes, screen).map(({ role, name, fallbackName, node: { path } }) => {
      return [role, name || fallbackName, path];
    });
  expect(listOf([second, first, inButton, cell, ...images])).toEqual([
    ['button', 'unnamed button 2', '/b2'],
    ['button', 'unnamed button 1', '/b1'],
    ['gridcell', 'Row', '/c'],
    ['button', 'unnamed image 3', '/i3'],
    ['button', 'unnamed image 1', '/i1'],
  ]);
  expect(listOf([second, first, inButton, ...images])).toContainEqual(['button', 'unnamed image 3', '/i3']);
  const [named] = new ElementList().update(1, [{ ...first, description: 'Save' }], screen);
  expect(named?.fallbackName).toBe('Save');
});

test('buttons of one row are counted from the left, also if their heights differ', () => {
  const buttonAt = (path: string, x: number, y: number, height: number) => ({
    ...node(path, BUTTON, '', x),
    extents: { x, y, width: 20, height },
  });
  const row = [buttonAt('/right', 100, 98, 24), buttonAt('/left', 10, 100, 20), buttonAt('/below', 5, 130, 20)];
  const names = new ElementList()
    .update(1, row, screen)
    .map(({ node: { path }, fallbackName }) => [path, fallbackName]);
  expect(Object.fromEntries(names)).toEqual({
    ...{ '/left': 'unnamed button 1', '/right': 'unnamed button 2', '/below': 'unnamed button 3' },
  });
});

test('a wide toggle button without a name is a list box if a text stands beside it', () => {
  const [TOGGLE, LABEL] = [62, 29];
  const wide = { ...node('/toggle', TOGGLE, '', 60), extents: { x: 60, y: 0, width: 300, height: 30 } };
  const listOf = (nodes: readonly AccessibleNode[]) =>
    new ElementList().update(1, nodes, screen).map(({ role, fallbackName }) => `${role} ${fallbackName ?? ''}`);
  expect(listOf([wide, node('/label', LABEL, 'Column', 0)])).toEqual(['combobox Column', 'text ']);
  expect(listOf([wide])).toEqual(['button unnamed button 1']);
  expect(listOf([{ ...wide, extents: { ...wide.extents, width: 40 } }, node('/label', LABEL, 'Column', 0)])[0]).toBe(
    'button unnamed button 1',
  );
});
