import { elementSchema, observationSchema, type Action, type ElementView } from '@pilothouse/contract';
import { guardOf, type GoalLimits } from './guard.ts';

/*
 * Ways to set something off without a click on a button that says so. A row is what is in view, what is done, and the kind of what needs
 * a person; null: nobody is asked.
 */

const element = (index: number, role: string, name: string, more: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    ...{ index, role, name, interactive: true, state: {}, marks: [] },
    bounds: { x: 10, y: 10 + index * 40, width: 100, height: 20 },
    ...more,
  });
const text = (index: number, name: string, more: Partial<ElementView> = {}) =>
  element(index, 'text', name, { interactive: false, ...more });
const limits: GoalLimits = { allow: new Set(), hosts: [], home: 'https://shop.test', trusted: new Set(), secrets: [] };
const kindOf = (
  elements: ElementView[],
  action: Action,
  focused: number | null = null,
  allow: GoalLimits['allow'] = new Set(),
) =>
  guardOf(
    action,
    observationSchema.parse({
      ...{ url: 'https://shop.test/orders', title: 'Orders', document: 1, loading: false, unseen: [] },
      ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 }, focused, elements },
    }),
    { ...limits, allow },
  )?.kind ?? null;

const on = (index: number) => ({ target: { element: index } });
const click = (index: number): Action => ({ action: 'click', ...on(index) });
const press = (key: string): Action => ({ action: 'press', key });
type Row = [string, ElementView[], Action, string | null];

test.each<Row>([
  ['Enter by another name', [element(0, 'textbox', 'Card'), element(1, 'button', 'Pay')], press('NumpadEnter'), 'pay'],
  ['Enter as a line break', [element(0, 'textbox', 'Card'), element(1, 'button', 'Pay')], press('\n'), 'pay'],
  ['a chord with Enter', [element(0, 'textbox', 'Text'), element(1, 'button', 'Send')], press('Control+Enter'), 'send'],
  ['a button out of view', [element(0, 'textbox', 'Card', { enter: 'Pay now' })], press('Enter'), 'pay'],
  [
    'a field that looks like a search',
    [element(0, 'searchbox', 'Search', { marks: ['search'], enter: 'Buy now' })],
    press('Enter'),
    'pay',
  ],
  [
    'a search beside what can be bought',
    [element(0, 'searchbox', 'Search', { marks: ['search'], enter: 'Search' }), element(1, 'button', 'Buy now')],
    press('Enter'),
    null,
  ],
  ['Space in a field', [element(0, 'textbox', 'Text'), element(1, 'button', 'Send')], press('Space'), null],
  ['Space on a button', [element(0, 'button', 'Delete')], press(' '), 'delete'],
  ['the key that deletes, on a row', [element(0, 'row', 'Invoice 17')], press('Delete'), 'delete'],
  ['the key that deletes, in a field', [element(0, 'textbox', 'Text')], press('Backspace'), null],
])('a key: %s', (_, elements, action, kind) => expect(kindOf(elements, action, 0)).toBe(kind));

test('a key that deletes where nobody knows what has the focus', () =>
  expect(kindOf([element(0, 'textbox', 'Text')], press('Shift+Delete'))).toBe('delete'));

test.each<Row>([
  [
    'what is dropped on',
    [element(0, 'listitem', 'Report'), element(1, 'button', 'Delete')],
    { action: 'drag', ...on(0), to: { element: 1 } },
    'delete',
  ],
  [
    'what is dropped on at a place',
    [element(0, 'listitem', 'Report'), element(1, 'clickable', 'Remove here')],
    { action: 'drag', ...on(0), to: { at: { x: 60, y: 75 } } },
    'delete',
  ],
  [
    'what is chosen, whatever the list is called',
    [element(0, 'combobox', 'Action', { enter: '' })],
    { action: 'select', ...on(0), option: 'delete_selected' },
    'delete',
  ],
  [
    'what is chosen in a list of a name that does nothing',
    [element(0, 'combobox', 'Delete after')],
    { action: 'select', ...on(0), option: '30 days' },
    null,
  ],
  ['a switch', [element(0, 'switch', 'Publish')], { action: 'check', ...on(0) }, 'send'],
  ['a box outside of any form', [element(0, 'checkbox', 'Delete account')], { action: 'check', ...on(0) }, 'delete'],
  [
    'a box that a form sends later',
    [element(0, 'checkbox', 'Send me news', { enter: 'Sign up' })],
    { action: 'check', ...on(0) },
    null,
  ],
  ['a file that is asked for', [element(0, 'link', 'Pay and download')], { action: 'download', ...on(0) }, 'pay'],
  [
    'a text in a button',
    [text(0, '€ 40'), element(1, 'button', 'Place order', { bounds: { x: 0, y: 0, width: 200, height: 60 } })],
    click(0),
    'pay',
  ],
  [
    'a link to what deletes, whatever it is called',
    [element(0, 'link', 'here', { leads: 'https://shop.test/orders/17/delete' })],
    click(0),
    'delete',
  ],
  [
    'a form that pays, whatever its button is called',
    [element(0, 'button', 'Continue', { leads: 'https://shop.test/placeOrder.php' })],
    click(0),
    'pay',
  ],
  [
    'an address that deletes',
    [],
    { action: 'navigate', url: 'https://shop.test/index.php?action=delete&id=4' },
    'delete',
  ],
  ['an address of this site', [], { action: 'navigate', url: '/account/delete-account' }, 'delete'],
  ['an address to read', [], { action: 'navigate', url: '/help/how-to-delete-an-account?submit=Search' }, null],
  [
    'a yes to a question',
    [text(0, 'Are you sure you want to delete 3 invoices?'), element(1, 'button', 'Yes, I am sure')],
    click(1),
    'delete',
  ],
  [
    'a no to it',
    [text(0, 'Are you sure you want to delete 3 invoices?'), element(1, 'button', 'Keep them')],
    click(1),
    null,
  ],
  [
    'a yes to another question',
    [text(0, 'You may delete cookies later. Do you agree?'), element(1, 'button', 'OK')],
    click(1),
    null,
  ],
  [
    'a yes far away from a question',
    [
      text(0, 'How do I delete my account?'),
      element(9, 'button', 'OK', { bounds: { x: 10, y: 700, width: 60, height: 20 } }),
    ],
    click(9),
    null,
  ],
])('%s', (_, elements, action, kind) => expect(kindOf(elements, action)).toBe(kind));

test('what the workflow allows needs nobody, whichever way it is set off', () => {
  const pay = [element(0, 'searchbox', 'Code', { marks: ['search'], enter: 'Pay' })];
  expect(kindOf(pay, press('Enter'), 0, new Set(['pay']))).toBeNull();
  expect(kindOf([], { action: 'navigate', url: '/orders/1/delete' }, null, new Set(['delete']))).toBeNull();
});
