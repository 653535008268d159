import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { stateSetOf } from '../accessibility/states.ts';
import { chooseMatch, type TargetUse } from './element-choice.ts';

interface AMatch {
  readonly role: string;
  readonly name?: string;
  readonly node?: Partial<DesktopElement['node']>;
  readonly state?: DesktopElement['state'];
}

const bounds = { x: 0, y: 0, width: 40, height: 20 };
const aMatch = ({ role, name = 'Name', node, state = {} }: AMatch) => ({
  bounds,
  element: {
    ...{ index: 0, interactive: true, role, name, tags: [], bounds, state },
    node: { bus: ':1.1', path: '/1', role: 0, name, states: [0, 0], extents: bounds, ...node },
  } satisfies DesktopElement,
});

/** Role and name of the choice, or the message of the error. */
function choose(matches: readonly AMatch[], use: TargetUse = 'text', text = 'Name'): string | null {
  const choice = chooseMatch(matches.map(aMatch), { text }, use);
  if (choice instanceof PilothouseError) return choice.message;
  return choice?.element ? `${choice.element.role} ${choice.element.name}` : null;
}

const editable = { states: stateSetOf('editable') };

test.each<[string, AMatch[], string]>([
  ['a field before a button', [{ role: 'button' }, { role: 'textbox' }], 'textbox Name'],
  ['a field before its label', [{ role: 'text' }, { role: 'textbox', name: 'Name:' }], 'textbox Name:'],
  [
    'an editable cell with the exact name before another field',
    [
      { role: 'textbox', name: 'Rename files' },
      { role: 'gridcell', node: editable },
    ],
    'gridcell Name',
  ],
  ['a field before the cell of a list', [{ role: 'gridcell' }, { role: 'textbox', name: 'Name:' }], 'textbox Name:'],
  [
    'the cell with the exact name',
    ['Name', 'Name2'].map((name) => ({ role: 'gridcell', name, node: { key: `/${name}` } })),
    'gridcell Name',
  ],
  ['a widget without a text role', [{ role: 'img' }], 'img Name'],
  ['a cell', [{ role: 'gridcell' }], 'gridcell Name'],
  ['a control that the screen parser found', [{ role: 'button', node: { screenshotId: 1 } }], 'button Name'],
  ['an editable control', [{ role: 'link', node: editable }], 'link Name'],
])('a text goes to %s', (_, matches, choice) => expect(choose(matches)).toBe(choice));

test('a text goes to no button, and a click does', () => {
  expect(choose([{ role: 'button' }])).toMatch(/is a button, which takes no text/);
  expect(choose([{ role: 'button' }, { role: 'menuitem' }])).toMatch(/takes no text/);
  expect(choose([{ role: 'button' }], 'pointer')).toBe('button Name');
});

test('a text waits for a cell that was not read', () => {
  const cell: AMatch = { role: 'gridcell', node: { isUnreadCell: true } };
  expect(choose([cell])).toMatch(/was not read in time/);
  expect(choose([cell], 'pointer')).toBe('gridcell Name');
});

test('an ambiguous locator counts all matches, as `nth` does', () => {
  const fields = [{ role: 'textbox' }, { role: 'textbox' }];
  expect(choose([{ role: 'button' }, ...fields])).toMatch(
    /matches 3 elements; 2 of them suit the action, `nth` counts all 3/,
  );
  expect(choose(fields)).toMatch(/matches 2 elements; add/);
  expect(choose([{ role: 'button' }, { role: 'text' }])).toMatch(/matches 2 elements; add/);
});

test('options and states belong to their controls', () => {
  expect(choose([{ role: 'text' }, { role: 'combobox' }], 'select')).toBe('combobox Name');
  expect(choose([{ role: 'text' }, { role: 'checkbox', state: { checked: false } }], 'check')).toBe('checkbox Name');
});

test('a disabled element can only be read', () => {
  const field: AMatch = { role: 'textbox', state: { disabled: true } };
  expect(choose([field])).toMatch(/is disabled/);
  expect(choose([field], 'read')).toBe('textbox Name');
});
