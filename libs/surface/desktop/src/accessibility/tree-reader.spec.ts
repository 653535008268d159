import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { needOf } from './read-need.ts';
import { strategyOf } from './read-strategy.ts';
import { atspiRoles } from './roles.ts';
import { SheetCells } from './sheet-cells.ts';
import { stateSetOf, type StateName, type StateSet } from './states.ts';
import type { Rectangle } from '../x/rectangle.ts';
import { readMenu, readTree } from './tree-reader.ts';

/** Milliseconds that the application needs for each answer, one after another. */
const ANSWER_MS = 10;
const DEADLINE_MS = 1_000;
const OBJECT_COUNT = 60;

/** A slow application whose frame has a row of fields. Counts the values that were read. */
function aSlowApplication() {
  let now = 0;
  const names = new Map<string, string>();
  let valueCount = 0;
  const answer =
    <Value>(valueOf: (target: AccessibleRef) => Value) =>
    async (target: AccessibleRef, timeoutMs: number): Promise<Value> => {
      const endsAt = now + Math.max(0, timeoutMs);
      await Promise.resolve();
      if (now + ANSWER_MS > endsAt) {
        now = Math.max(now, endsAt);
        throw new Error('late');
      }
      now += ANSWER_MS;
      return valueOf(target);
    };
  const isFrame = ({ path }: AccessibleRef) => path === '/frame';
  const fields = Array.from({ length: OBJECT_COUNT }, (_, index) => ({ bus: ':1.1', path: `/${index}` }));
  const bus = {
    timers: { monotonic: () => now },
    role: answer((target) => (isFrame(target) ? atspiRoles.frame : atspiRoles.entry)),
    name: answer((target) => names.get(target.path) ?? `field ${target.path}`),
    states: answer(() => stateSetOf('showing')),
    extents: answer(() => ({ x: 0, y: 0, width: 20, height: 20 })),
    childCount: answer((target) => (isFrame(target) ? OBJECT_COUNT : 0)),
    children: answer(() => fields),
    description: answer(() => ''),
    labels: answer(() => []),
    text: answer(() => {
      valueCount += 1;
      return 'text';
    }),
  } as unknown as AccessibilityBus;
  return {
    bus,
    frame: { bus: ':1.1', path: '/frame' },
    strategy: strategyOf('qt', '5', 'editor'),
    rename: (path: string, name: string) => names.set(path, name),
    valueCount: () => valueCount,
  };
}

test('each read begins anew, with the objects of its time', async () => {
  const { bus, frame, strategy, rename } = aSlowApplication();
  expect((await readTree(bus, frame, strategy, DEADLINE_MS)).incomplete).toBe('timeout');
  rename('/0', 'renamed');
  const { nodes, incomplete } = await readTree(bus, frame, strategy, 60_000);
  expect(incomplete).toBeNull();
  expect(nodes.find(({ path }) => path === '/0')?.name).toBe('renamed');
});

/** Reads a frame with one container of 501 children. */
async function readLarge(toolkit: string, role: number, locator: Locator) {
  const isFrame = ({ path }: AccessibleRef) => path === '/frame';
  const bus = {
    timers: { monotonic: () => 0 },
    role: (target: AccessibleRef) => Promise.resolve(isFrame(target) ? atspiRoles.frame : role),
    name: () => Promise.resolve('large'),
    states: () => Promise.resolve(stateSetOf('showing')),
    extents: () => Promise.resolve({ x: 0, y: 0, width: 20, height: 20 }),
    childCount: (target: AccessibleRef) => Promise.resolve(isFrame(target) ? 1 : 501),
    children: () => Promise.resolve([{ bus: ':1.1', path: '/large' }]),
    accessibleAt: () => Promise.resolve(null),
  } as unknown as AccessibilityBus;
  const strategy = strategyOf(toolkit, '5', toolkit === 'VCL' ? 'libreoffice-calc' : 'editor');
  const options = { sheets: new SheetCells(bus, () => 0), need: needOf([locator]) };
  return (await readTree(bus, { bus: ':1.1', path: '/frame' }, strategy, DEADLINE_MS, options)).incomplete;
}

test.each<[string, string, number, Locator, string | null]>([
  ['a button may be in a long tree', 'qt', atspiRoles.tree, { role: 'button', name: 'Go' }, 'truncated'],
  ['a cell may be in a long table', 'qt', atspiRoles.table, { role: 'gridcell', name: 'B2', exact: true }, 'truncated'],
  ['a row may be in a long table', 'qt', atspiRoles.treeTable, { role: 'row', name: 'Go' }, 'truncated'],
  ['a dialog is in no long table', 'qt', atspiRoles.table, { role: 'dialog', name: 'Save' }, null],
  ['a dialog may be in a panel', 'qt', atspiRoles.panel, { role: 'dialog', name: 'Save' }, 'truncated'],
  ['a button is in no sheet', 'VCL', atspiRoles.table, { role: 'button', name: 'Go' }, null],
  ['a named cell is looked up', 'VCL', atspiRoles.table, { role: 'gridcell', name: 'B2', exact: true }, null],
  ['an unknown cell may be in a sheet', 'VCL', atspiRoles.table, { role: 'gridcell', name: 'B2' }, 'truncated'],
])('%s', async (_, toolkit, role, locator, incomplete) => {
  expect(await readLarge(toolkit, role, locator)).toBe(incomplete);
});

test('a read for a button reads no values of fields', async () => {
  const { bus, frame, strategy, valueCount } = aSlowApplication();
  await readTree(bus, frame, strategy, 60_000, { need: needOf([{ role: 'button', name: 'Save' }]) });
  expect(valueCount()).toBe(0);
  await readTree(bus, frame, strategy, 60_000, { need: needOf([{ label: 'Name' }]) });
  expect(valueCount()).toBe(OBJECT_COUNT);
});

/** Reads a window of GTK 2 with a menu of two entries, which never have the state SHOWING. @param popup the opened menu, if any */
async function readGtk2(popup: Rectangle | null, isSubmenu = false) {
  const place = (y: number) => ({ x: 10, y, width: 80, height: 20 });
  const objects: Record<
    string,
    { role: number; name: string; states: StateName[]; extents: Rectangle; below: string[] }
  > = {
    '/frame': { role: atspiRoles.frame, name: 'Editor', states: ['showing'], extents: place(0), below: ['/bar'] },
    '/bar': { role: atspiRoles.menuBar, name: '', states: ['showing'], extents: place(0), below: ['/image'] },
    '/image': {
      ...{ role: atspiRoles.menu, name: 'Image', extents: place(0), below: ['/scale', '/closed'] },
      states: ['showing', ...(popup ? (['focused'] as const) : [])],
    },
    '/scale': { role: atspiRoles.menuItem, name: 'Scale', states: ['visible'], extents: place(30), below: [] },
    // Its menu was open earlier, at another place.
    '/closed': { role: atspiRoles.menu, name: 'Mode', states: ['visible'], extents: place(50), below: ['/grey'] },
    '/grey': { role: atspiRoles.menuItem, name: 'Grey', states: ['visible'], extents: place(300), below: [] },
  };
  const objectOf = (target: AccessibleRef) => objects[target.path] ?? objects['/frame'];
  let readCount = 0;
  const bus = {
    timers: { monotonic: () => 0 },
    role: (target: AccessibleRef) => Promise.resolve(objectOf(target)?.role),
    name: (target: AccessibleRef) => {
      readCount += 1;
      return Promise.resolve(objectOf(target)?.name);
    },
    states: (target: AccessibleRef) =>
      Promise.resolve((objectOf(target)?.states ?? []).map((state): StateSet => stateSetOf(state)).reduce(joinStates)),
    extents: (target: AccessibleRef) => Promise.resolve(objectOf(target)?.extents),
    childCount: (target: AccessibleRef) => Promise.resolve(objectOf(target)?.below.length),
    children: (target: AccessibleRef) =>
      Promise.resolve(objectOf(target)?.below.map((path) => ({ bus: ':1.1', path }))),
    description: () => Promise.resolve(''),
    labels: () => Promise.resolve([]),
  } as unknown as AccessibilityBus;
  const strategy = strategyOf('GAIL', '1.22', 'gimp');
  const popups = popup ? [popup] : [];
  const { nodes } = isSubmenu
    ? await readMenu(bus, { bus: ':1.1', path: '/closed' }, strategy, DEADLINE_MS, popups)
    : await readTree(bus, { bus: ':1.1', path: '/frame' }, strategy, DEADLINE_MS, { popups });
  return { names: nodes.map(({ name }) => name), readCount };
}

const joinStates = (first: StateSet, second: StateSet): StateSet =>
  first.map((word, index) => word | (second[index] ?? 0));

test('entries of a GTK 2 menu are read while the menu is open', async () => {
  const opened = { x: 5, y: 25, width: 100, height: 60 };
  expect((await readGtk2(opened)).names).toEqual(['Editor', '', 'Image', 'Scale', 'Mode']);
  expect((await readGtk2({ ...opened, y: 290 }, true)).names).toEqual(['Grey']);
  expect((await readGtk2(opened, true)).names).toEqual([]);
});

test('the entries of a closed GTK 2 menu are not read', async () => {
  expect(await readGtk2(null)).toEqual({ names: ['Editor', '', 'Image'], readCount: 3 });
});
