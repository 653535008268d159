import type { AccessibleNode } from './accessible-node.ts';
import { alignGtk4Nodes } from './gtk4-nodes.ts';
import { alignLibreOfficeNodes, namedStatusItems, withFieldLabels, withToolbarMenus } from './libreoffice-nodes.ts';
import { atspiRoles } from './roles.ts';
import { nameOf, positionOf } from './sheet-cells.ts';

const node = (role: number, name: string, x: number, y: number, width: number, height: number): AccessibleNode => ({
  bus: ':1.1',
  path: `/${name}`,
  role,
  name,
  states: [0, 0],
  extents: { x, y, width, height },
});
const places = (nodes: readonly AccessibleNode[]) => nodes.map(({ name, extents: { x, y } }) => [name, x, y]);

test('corrects the position of LibreOffice content by the menu bar, but not of GTK widgets', () => {
  const nodes = [
    node(atspiRoles.frame, 'frame', 0, 0, 1280, 800),
    node(atspiRoles.menu, 'File', 0, 19, 39, 25),
    node(39, 'host', 0, 44, 1280, 756),
    node(atspiRoles.rootPane, 'pane', 0, 19, 1280, 756),
    node(atspiRoles.menuBar, 'hidden', 0, 19, 1280, 0),
    node(atspiRoles.menu, 'hidden File', 0, 19, 35, 19),
    node(39, 'box', 4, 99, 162, 34),
    node(39, 'widget', 4, 124, 162, 34),
    node(atspiRoles.text, 'name box', 4, 124, 126, 34),
    node(atspiRoles.tableCell, 'A1', 41, 197, 82, 17),
  ];
  expect(places(alignLibreOfficeNodes(nodes))).toEqual([
    ['frame', 0, 0],
    ['File', 0, 19],
    ['host', 0, 44],
    ['pane', 0, 44],
    ['box', 4, 124],
    ['widget', 4, 124],
    ['name box', 4, 124],
    ['A1', 41, 222],
  ]);
});

test('a GTK widget of LibreOffice keeps its position if it is one pixel higher than its holder', () => {
  const nodes = [
    node(atspiRoles.frame, 'frame', 20, 40, 1240, 740),
    node(39, 'host', 20, 65, 1240, 715),
    node(atspiRoles.rootPane, 'pane', 20, 40, 1240, 715),
    node(39, 'tab bar', 20, 710, 138, 23),
    node(39, 'widget', 20, 735, 138, 24),
    node(atspiRoles.button, 'Add', 128, 735, 24, 24),
  ];
  expect(places(alignLibreOfficeNodes(nodes)).slice(3)).toEqual([
    ['tab bar', 20, 735],
    ['widget', 20, 735],
    ['Add', 128, 735],
  ]);
});

test('items of the status bar of LibreOffice are buttons with their text as name', () => {
  const nodes = [
    { ...node(atspiRoles.label, '', 30, 100, 90, 19), value: 'Size' },
    node(atspiRoles.statusBar, '', 20, 758, 1240, 22),
    { ...node(atspiRoles.label, '', 55, 760, 144, 19), value: 'Page 1 of 1' },
    { ...node(atspiRoles.label, '', 776, 760, 62, 19), value: '' },
  ];
  const named = namedStatusItems(nodes);
  expect(named.map(({ role, name, value }) => [role, name, value])).toEqual([
    [atspiRoles.label, '', 'Size'],
    [atspiRoles.statusBar, '', undefined],
    [atspiRoles.button, 'Page 1 of 1', undefined],
    [atspiRoles.label, '', ''],
  ]);
});

test('a wider toolbar button of LibreOffice is listed with its menu', () => {
  const nodes = [
    node(atspiRoles.toolBar, 'Standard', 20, 65, 400, 39),
    node(atspiRoles.button, 'New', 24, 67, 44, 35),
    node(atspiRoles.button, 'Print', 68, 67, 33, 35),
    node(atspiRoles.toggleButton, 'Preview', 101, 67, 33, 35),
    node(atspiRoles.button, 'Get Involved', 134, 67, 110, 35),
    node(atspiRoles.button, 'Elsewhere', 600, 67, 44, 35),
  ];
  const listed = withToolbarMenus(nodes);
  expect(listed.filter(({ key }) => key !== undefined)).toEqual([
    { ...nodes[1], name: 'New menu', key: '/New#menu', extents: { x: 57, y: 67, width: 11, height: 35 } },
  ]);
  expect(listed.filter(({ key }) => key === undefined)).toEqual(nodes);
});

test('nodes of GTK 4 count from the content of their window or popover, and class names are no names', () => {
  const nodes = [
    node(atspiRoles.frame, 'frame', 0, 0, 690, 510),
    node(33, 'popover', 536, 6, 263, 587),
    node(35, 'Save', 578, 215, 179, 32),
    node(43, 'GtkMenuButton', 6, 6, 77, 34),
    node(61, 'EditorSourceView', 0, 47, 690, 463),
  ];
  const window = { x: 290, y: 140, width: 700, height: 520 };
  const popup = { x: 717, y: 164, width: 263, height: 587 };
  expect(places(alignGtk4Nodes(nodes, window, [popup]))).toEqual([
    ['frame', 295, 145],
    ['popover', 717, 164],
    ['Save', 759, 373],
    ['', 301, 151],
    ['', 295, 192],
  ]);
});

test.each([
  ['A1', 0, 0],
  ['Z10', 9, 25],
  ['AA2', 1, 26],
  ['XFD1048576', 1_048_575, 16_383],
])('the cell %s is in row %i and column %i', (name, row, column) => {
  expect(positionOf(name)).toEqual({ row, column });
  expect(nameOf({ row, column })).toBe(name);
});

test.each(['', '2B', 'B', 'ABCD1', 'Sheet1!B2'])('%j is no cell', (name) => expect(positionOf(name)).toBeNull());

test('fields of LibreOffice without a name are labelled by their panel, and the name box by its content', () => {
  const field = (value: string, x: number) => ({ ...node(atspiRoles.text, '', x, 124, 126, 34), value });
  const nodes = [
    node(atspiRoles.toolBar, 'Formula Tool Bar', 0, 120, 1221, 42),
    node(atspiRoles.panel, 'Font Size', 200, 124, 160, 34),
    field('B2:C4', 4),
    field('10 pt', 200),
    field('=SUM(A1)', 400),
  ];
  expect(withFieldLabels(nodes).map(({ label }) => label)).toEqual([
    undefined,
    undefined,
    'Name Box',
    'Font Size',
    undefined,
  ]);
});
