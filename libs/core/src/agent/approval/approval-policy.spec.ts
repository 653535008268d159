import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  elementSchema,
  observationSchema,
  type ElementView,
} from '@pilothouse/contract/observation/observation.schema';
import { canvasPointToIdentify } from './canvas-effects.ts';
import { requiredApproval, type ApprovalPolicy } from './approval-policy.ts';

/*
 * Actions that trigger an effect without a click on a button of that name. Columns: elements in view, action, effect that needs an approval
 * (null: none).
 */

const element = (index: number, role: string, name: string, overrides: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    ...{ index, role, name, interactive: true, state: {}, tags: [] },
    bounds: { x: 10, y: 10 + index * 40, width: 100, height: 20 },
    ...overrides,
  });
const text = (index: number, name: string, overrides: Partial<ElementView> = {}) =>
  element(index, 'text', name, { interactive: false, ...overrides });
const limits: ApprovalPolicy = {
  autoApprove: new Set(),
  hosts: [],
  home: 'https://shop.test',
  trusted: new Set(),
  secrets: [],
};
const kindOf = (
  elements: ElementView[],
  action: Action,
  focused: number | null = null,
  autoApprove: ApprovalPolicy['autoApprove'] = new Set(),
  policyOverrides: Partial<ApprovalPolicy> = {},
) =>
  requiredApproval(
    action,
    observationSchema.parse({
      ...{ url: 'https://shop.test/orders', title: 'Orders', document: 1, loading: false, opaqueRegions: [] },
      ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 }, focused, elements },
    }),
    { ...limits, autoApprove, ...policyOverrides },
  )?.kind ?? null;

const on = (index: number) => ({ target: { elementIndex: index } });
const click = (index: number): Action => ({ action: 'click', ...on(index) });
const press = (key: string): Action => ({ action: 'press', key });
type Row = [string, ElementView[], Action, string | null];

test.each<Row>([
  ['Enter by another name', [element(0, 'textbox', 'Card'), element(1, 'button', 'Pay')], press('NumpadEnter'), 'pay'],
  ['Enter as a line break', [element(0, 'textbox', 'Card'), element(1, 'button', 'Pay')], press('\n'), 'pay'],
  ['a chord with Enter', [element(0, 'textbox', 'Text'), element(1, 'button', 'Send')], press('Control+Enter'), 'send'],
  ['a button out of view', [element(0, 'textbox', 'Card', { submitButton: 'Pay now' })], press('Enter'), 'pay'],
  [
    'a field that looks like a search',
    [element(0, 'searchbox', 'Search', { tags: ['search'], submitButton: 'Buy now' })],
    press('Enter'),
    'pay',
  ],
  [
    'a filter beside a delete button',
    [element(0, 'textbox', 'Filter', { submitButton: 'Apply' }), element(1, 'button', 'Delete')],
    press('Enter'),
    null,
  ],
  [
    'a form without a button beside a delete button',
    [element(0, 'textbox', 'Name', { submitButton: '' }), element(1, 'button', 'Delete')],
    press('Enter'),
    null,
  ],
  [
    'a form without a button that deletes',
    [
      element(0, 'textbox', 'Name', {
        submitButton: '',
        formDestinations: { urls: ['https://shop.test/orders/delete'] },
      }),
    ],
    press('Enter'),
    'delete',
  ],
  [
    'a search field beside a buy button',
    [element(0, 'searchbox', 'Search', { tags: ['search'], submitButton: 'Search' }), element(1, 'button', 'Buy now')],
    press('Enter'),
    null,
  ],
  ['Space in a field', [element(0, 'textbox', 'Text'), element(1, 'button', 'Send')], press('Space'), null],
  ['Space on a button', [element(0, 'button', 'Delete')], press(' '), 'delete'],
  ['the key that deletes, on a row', [element(0, 'row', 'Invoice 17')], press('Delete'), 'delete'],
  ['the key that deletes, in a field', [element(0, 'textbox', 'Text')], press('Backspace'), null],
])('a key: %s', (_, elements, action, kind) => expect(kindOf(elements, action, 0)).toBe(kind));

test('needs an approval for a Delete key with an unknown focus', () =>
  expect(kindOf([element(0, 'textbox', 'Text')], press('Shift+Delete'))).toBe('delete'));

test.each<Row>([
  [
    'a drop target',
    [element(0, 'listitem', 'Report'), element(1, 'button', 'Delete')],
    { action: 'drag', ...on(0), to: { elementIndex: 1 } },
    'delete',
  ],
  [
    'a drop target at a point',
    [element(0, 'listitem', 'Report'), element(1, 'clickable', 'Remove here')],
    { action: 'drag', ...on(0), to: { point: { x: 60, y: 75 } } },
    'delete',
  ],
  [
    'a selected option of a list with any name',
    [element(0, 'combobox', 'Action', { submitButton: '' })],
    { action: 'selectOption', ...on(0), option: 'delete_selected' },
    'delete',
  ],
  [
    'a harmless option of a list with a risky name',
    [element(0, 'combobox', 'Delete after')],
    { action: 'selectOption', ...on(0), option: '30 days' },
    null,
  ],
  ['a switch', [element(0, 'switch', 'Publish')], { action: 'check', ...on(0) }, 'send'],
  ['a box outside of any form', [element(0, 'checkbox', 'Delete account')], { action: 'check', ...on(0) }, 'delete'],
  [
    'a box that a form sends later',
    [element(0, 'checkbox', 'Send me news', { submitButton: 'Sign up' })],
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
    'a link to a delete URL with any name',
    [element(0, 'link', 'here', { linkUrl: 'https://shop.test/orders/17/delete' })],
    click(0),
    'delete',
  ],
  [
    'a payment form with any button name',
    [element(0, 'button', 'Continue', { linkUrl: 'https://shop.test/placeOrder.php' })],
    click(0),
    'pay',
  ],
  ['a delete URL', [], { action: 'navigate', url: 'https://shop.test/index.php?action=delete&id=4' }, 'delete'],
  ['an address of this site', [], { action: 'navigate', url: '/account/delete-account' }, 'delete'],
  ['an address to read', [], { action: 'navigate', url: '/help/how-to-delete-an-account?submit=Search' }, null],
  [
    'a confirmation of a question',
    [text(0, 'Are you sure you want to delete 3 invoices?'), element(1, 'button', 'Yes, I am sure')],
    click(1),
    'delete',
  ],
  [
    'a cancel button beside a question',
    [text(0, 'Are you sure you want to delete 3 invoices?'), element(1, 'button', 'Keep them')],
    click(1),
    null,
  ],
  [
    'a confirmation of a harmless question',
    [text(0, 'You may delete cookies later. Do you agree?'), element(1, 'button', 'OK')],
    click(1),
    null,
  ],
  [
    'a confirmation far away from a question',
    [
      text(0, 'How do I delete my account?'),
      element(9, 'button', 'OK', { bounds: { x: 10, y: 700, width: 60, height: 20 } }),
    ],
    click(9),
    null,
  ],
])('%s', (_, elements, action, kind) => expect(kindOf(elements, action)).toBe(kind));

test('needs no approval for an effect that the workflow allows', () => {
  const pay = [element(0, 'searchbox', 'Code', { tags: ['search'], submitButton: 'Pay' })];
  expect(kindOf(pay, press('Enter'), 0, new Set(['pay']))).toBeNull();
  expect(kindOf([], { action: 'navigate', url: '/orders/1/delete' }, null, new Set(['delete']))).toBeNull();
});

const thief = 'https://thief.test/steal';
const type = (index: number, text = 'x'): Action => ({ action: 'fill', ...on(index), text });

test.each<Row>([
  ['a link', [element(0, 'link', 'Terms', { linkUrl: thief })], click(0), 'otherSite'],
  ['a link of its own site', [element(0, 'link', 'Terms', { linkUrl: 'https://www.shop.test/terms' })], click(0), null],
  [
    'a look-alike of its host',
    [element(0, 'link', 'Terms', { linkUrl: 'https://shop.test.thief.test/' })],
    click(0),
    'otherSite',
  ],
  [
    'its host as the name of a user',
    [element(0, 'link', 'Terms', { linkUrl: 'https://shop.test@thief.test/' })],
    click(0),
    'otherSite',
  ],
  ['a link that writes a letter', [element(0, 'link', 'Write', { linkUrl: 'mailto:a@thief.test' })], click(0), null],
  [
    'a button of a form',
    [element(0, 'button', 'Search', { linkUrl: thief, formDestinations: { urls: [thief] } })],
    click(0),
    'otherSite',
  ],
  ['Enter on a link', [element(0, 'link', 'Terms', { linkUrl: thief })], press('Enter'), 'otherSite'],
  [
    'Enter in a field',
    [element(0, 'textbox', 'Name', { submitButton: 'Go', formDestinations: { urls: [thief] } })],
    press('Enter'),
    'otherSite',
  ],
  [
    'Escape in it',
    [element(0, 'textbox', 'Name', { submitButton: 'Go', formDestinations: { urls: [thief] } })],
    press('Escape'),
    null,
  ],
  [
    'a text in a link',
    [text(0, 'More'), element(1, 'link', 'More', { linkUrl: thief, bounds: { x: 0, y: 0, width: 200, height: 60 } })],
    click(0),
    'otherSite',
  ],
  [
    'an image with a map',
    [text(0, 'Map', { role: 'image', linkUrl: thief })],
    { action: 'click', target: { point: { x: 60, y: 25 } } },
    'otherSite',
  ],
  ['a file', [element(0, 'link', 'Report', { linkUrl: thief })], { action: 'download', ...on(0) }, 'otherSite'],
  [
    'a list that sends its form',
    [element(0, 'combobox', 'Sort', { linkUrl: thief })],
    { action: 'selectOption', ...on(0), option: 'a' },
    'otherSite',
  ],
  [
    'a text typed into a form that has not been sent',
    [element(0, 'textbox', 'Name', { formDestinations: { urls: [thief] } })],
    type(0),
    null,
  ],
  ['a text typed into a frame of it', [element(0, 'textbox', 'Name', { frame: thief })], type(0), 'otherSite'],
  ['a text typed into a frame of the page', [element(0, 'textbox', 'Name', { frame: 'about:srcdoc' })], type(0), null],
  ['only a look at it', [element(0, 'link', 'Terms', { linkUrl: thief })], { action: 'hover', ...on(0) }, null],
])('other site: %s', (_, elements, action, kind) => expect(kindOf(elements, action, 0)).toBe(kind));

test('approves another site separately from secrets', () => {
  const secrets = { secrets: ['p'], trusted: new Set(['https://shop.test']) };
  const autoApprove = new Set(['otherSite'] as const);
  const field = (destination: string) => [
    element(0, 'textbox', 'Password', { submitButton: 'Log in', formDestinations: { urls: [destination] } }),
  ];
  const secret = type(0, '{{inputs.p}}');
  expect(kindOf(field('https://shop.test/login'), secret, null, autoApprove, secrets)).toBeNull();
  expect(kindOf(field(thief), secret, null, autoApprove, secrets)).toBe('credentials');
  expect(kindOf(field(thief), type(0, 'Robin'), null, autoApprove, secrets)).toBeNull();
  const externalForm = [
    element(0, 'textbox', 'Password', { formDestinations: { urls: ['https://shop.test/login', thief] } }),
  ];
  expect(kindOf(externalForm, secret, null, autoApprove, secrets)).toBe('credentials');
  // The existing values of the form are sent too.
  const filled = [
    element(0, 'button', 'Log in', { linkUrl: thief, formDestinations: { urls: [thief], secret: true } }),
  ];
  const empty = [element(0, 'button', 'Log in', { linkUrl: thief, formDestinations: { urls: [thief] } })];
  expect(kindOf(filled, click(0), null, autoApprove, secrets)).toBe('credentials');
  expect(kindOf(empty, click(0), null, autoApprove, secrets)).toBeNull();
  expect(kindOf(empty, click(0), null, autoApprove, { ...secrets, secretDocuments: new Set([1]) })).toBe('credentials');
  expect(kindOf(field(thief), press('Enter'), 0, autoApprove, { ...secrets, secretDocuments: new Set([1]) })).toBe(
    'credentials',
  );
});

test.each([
  ['a zero-width space', 'De\u200blete', 'delete'],
  ['a soft hyphen', 'Del\u00adete', 'delete'],
  ['a filler without a shape', 'Del\u3164ete', 'delete'],
  ['tags of Unicode', 'Del\u{e0061}ete', 'delete'],
  ['Cyrillic letters', '\u0420\u0430\u0443 now', 'pay'],
  ['Greek capitals', '\u03a1\u0391\u03a5', 'pay'],
  ['small capitals', '\u1d18\u1d00\u028f', 'pay'],
  ['full width', '\uff33\uff45\uff4e\uff44', 'send'],
  ['mathematical letters', '\u{1d40f}\u{1d41a}\u{1d432}', 'pay'],
  ['letters in squares', '\u{1f173}\u{1f174}\u{1f17b}\u{1f174}\u{1f183}\u{1f174}', 'delete'],
  ['strokes through the letters', 'P\u0336a\u0336y\u0336', 'pay'],
  ['letters that stand apart', 'D e l e t e', 'delete'],
  ['digits for letters', 'De1ete', 'delete'],
  ['another direction', '\u202eeteled', 'delete'],
  ['letters with their accents left out', 'Loschen', 'delete'],
  ['a word in Russian', '\u0423\u0434\u0430\u043b\u0438\u0442\u044c', null],
  ['a plan', 'Plan a b c', null],
])('a risky word in %s', (_, name, kind) => {
  expect(kindOf([element(0, 'button', name)], click(0))).toBe(kind);
});

test.each([
  ['https://shop.test/orders/17/%64elete', 'delete'],
  ['https://shop.test/orders/17/d%D0%B5lete', 'delete'],
  ['https://shop.test/orders/%ff/17', null],
])('URL in look-alike or encoded letters: %s', (leads, kind) => {
  expect(kindOf([element(0, 'link', 'Details', { linkUrl: leads })], click(0))).toBe(kind);
});

test.each<[string, ElementView | null | undefined, string | null]>([
  ['an editor whose field is not in the list', element(0, 'textbox', 'Editor content'), null],
  ['nothing', null, null],
  ['an unknown value', undefined, 'delete'],
  ['a button out of view', element(0, 'button', 'Delete'), 'delete'],
])('Space with the focus on %s', (_, focused, kind) => {
  const observation = observationSchema.parse({
    ...{ url: 'https://shop.test/orders', title: 'Orders', document: 1, loading: false, opaqueRegions: [] },
    ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 }, focused: null },
    elements: [element(4, 'button', 'Delete')],
  });
  const { index: _index, ...focus } = focused ?? element(0, 'none', '');
  const page = focused === undefined ? observation : { ...observation, focus: focused && focus };
  expect(requiredApproval(press('Space'), page, limits)?.kind ?? null).toBe(kind);
});

test('does not treat a click into an editor as a click on a canvas', () => {
  const editor = element(0, 'textbox', '', { bounds: { x: 0, y: 0, width: 600, height: 400 } });
  const observation = observationSchema.parse({
    ...{ url: 'https://shop.test/', title: 'Editor', document: 1, loading: false, focused: null },
    ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 }, elements: [editor] },
    opaqueRegions: [{ kind: 'canvas', name: '', bounds: { x: 500, y: 0, width: 100, height: 400 } }],
  });
  const autoApprove = new Set<never>();
  expect(canvasPointToIdentify(click(0), observation, { autoApprove })).toBeNull();
  expect(
    canvasPointToIdentify({ action: 'click', target: { point: { x: 100, y: 100 } } }, observation, {
      autoApprove,
    }),
  ).toBeNull();
  expect(
    canvasPointToIdentify({ action: 'click', target: { point: { x: 900, y: 100 } } }, observation, {
      autoApprove,
    }),
  ).not.toBeNull();
  const roleAtPoint = (role: string) =>
    canvasPointToIdentify(
      { action: 'click', target: { point: { x: 100, y: 100 } } },
      { ...observation, elements: [{ ...editor, role }] },
      { autoApprove },
    );
  for (const role of ['spinbutton', 'date', 'time']) expect(roleAtPoint(role)).toBeNull();
  for (const role of ['slider', 'treeitem', 'clickable', 'img']) expect(roleAtPoint(role)).not.toBeNull();
  const timePage = { ...observation, elements: [{ ...editor, role: 'time' }] };
  const dropOnTime = { action: 'drag', ...on(0), to: { point: { x: 100, y: 100 } } } as const;
  expect(canvasPointToIdentify(dropOnTime, timePage, { autoApprove })).toEqual({ x: 100, y: 100 });
  const canvasPage = { ...observation, elements: [{ ...editor, role: 'clickable' }] };
  const drop = { action: 'drag', ...on(0), to: { elementIndex: 0 } } as const;
  expect(canvasPointToIdentify(drop, canvasPage, { autoApprove })).toEqual({ x: 300, y: 250 });
  expect(canvasPointToIdentify({ ...drop, position: { x: 50, y: 80 } }, canvasPage, { autoApprove })).toEqual({
    x: 50,
    y: 100,
  });
  expect(canvasPointToIdentify(click(0), canvasPage, { autoApprove })).not.toBeNull();
});
