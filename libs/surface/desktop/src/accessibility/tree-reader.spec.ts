import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { needOf } from './read-need.ts';
import { strategyOf } from './read-strategy.ts';
import { atspiRoles } from './roles.ts';
import { SheetCells } from './sheet-cells.ts';
import { stateSetOf } from './states.ts';
import { readTree } from './tree-reader.ts';

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
