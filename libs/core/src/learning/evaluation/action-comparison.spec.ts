import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import type { PlannedAction } from '../../agent/planned-action.ts';
import { compareActions, type ActionToCompare, type ComparedPage } from './action-comparison.ts';

const element = (index: number, bounds: Bounds, focused = false) => ({
  index,
  bounds,
  state: focused ? { focused: true as const } : {},
});

/** A page of 1000 × 800 pixels: a button, a field in focus, and a card around both. */
const page: ComparedPage = {
  viewport: { width: 1000, height: 800 },
  elements: [
    element(1, { x: 0, y: 0, width: 600, height: 600 }),
    element(3, { x: 100, y: 200, width: 100, height: 40 }),
    element(4, { x: 100, y: 300, width: 100, height: 40 }, true),
  ],
};

const act = (action: Action, bounds?: Bounds | null): ActionToCompare => ({
  kind: 'act',
  action,
  ...(bounds !== undefined && { bounds }),
});
const click = (target: object, fields: object = {}) => act({ action: 'click', target, ...fields } as Action);
const fill = (index: number, text: string) => act({ action: 'fill', target: { elementIndex: index }, text });
const type = (text: string, target?: object) => act({ action: 'type', text, ...(target && { target }) } as Action);
const press = (key: string) => act({ action: 'press', key });
const scroll = (y: number) => act({ action: 'scroll', by: { y } });
const go = (url: string) => act({ action: 'navigate', url });
const done = (answer: unknown): PlannedAction => ({
  kind: 'done',
  claim: { answer: answer as never, anchor: null, indicators: [] },
});
const point = (x: number, y: number) => click({ point: { x, y } });

test.each<[string, ActionToCompare[], ActionToCompare[], boolean]>([
  ['the same element', [click({ elementIndex: 3 })], [click({ elementIndex: 3 })], true],
  ['another element', [click({ elementIndex: 3 })], [click({ elementIndex: 4 })], false],
  ['another kind on the same element', [click({ elementIndex: 4 })], [fill(4, 'x')], false],
  ['no action', [click({ elementIndex: 3 })], [], false],
  ['a point in the element', [click({ elementIndex: 3 })], [point(150, 275)], true],
  ['a point beside the element', [click({ elementIndex: 3 })], [point(300, 275)], false],
  ['an element around the point of the label', [point(150, 275)], [click({ elementIndex: 3 })], true],
  ['two points in the same smallest element', [point(110, 260)], [point(190, 290)], true],
  ['two points in the same card, but not on the same button', [point(150, 275)], [point(400, 600)], false],
  ['two close points beside all elements', [point(800, 800)], [point(805, 805)], true],
  ['two distant points beside all elements', [point(800, 800)], [point(900, 900)], false],
  [
    'a double click instead of a click',
    [click({ elementIndex: 3 })],
    [click({ elementIndex: 3 }, { count: 2 })],
    false,
  ],
  ['the default button by name', [click({ elementIndex: 3 })], [click({ elementIndex: 3 }, { button: 'left' })], true],
  [
    'a role locator with recorded bounds',
    [act({ action: 'click', target: { role: 'button', name: 'Order' } }, { x: 100, y: 200, width: 100, height: 40 })],
    [click({ elementIndex: 3 })],
    true,
  ],
  [
    'a role locator without bounds',
    [act({ action: 'click', target: { role: 'button', name: 'Order' } }, null)],
    [click({ elementIndex: 3 })],
    false,
  ],
  ['the same text with other blanks', [fill(4, 'three  ropes ')], [fill(4, 'three ropes')], true],
  ['another text', [fill(4, '3')], [fill(4, '30')], false],
  ['typing instead of filling', [fill(4, '3')], [type('3', { elementIndex: 4 })], true],
  ['typing into the focused field', [fill(4, '3')], [type('3')], true],
  ['typing into the focus, for another field', [fill(3, '3')], [type('3')], false],
  ['a click and a text', [fill(4, '3')], [point(150, 400), type('3')], true],
  [
    'a click, a deleted text, and a text',
    [fill(4, '3')],
    [point(150, 400), press('Control+a'), press('Delete'), type('3')],
    true,
  ],
  ['a click and an unrelated key', [fill(4, '3')], [point(150, 400), press('Enter'), type('3')], false],
  ['only the click of a text entry', [fill(4, '3')], [point(150, 400)], false],
  ['the same key in other letters', [press('Enter')], [press('enter')], true],
  ['another key', [press('Enter')], [press('Tab')], false],
  [
    'a key sent to the focused element',
    [act({ action: 'press', key: 'Enter', target: { elementIndex: 4 } })],
    [press('Enter')],
    true,
  ],
  ['another distance in the same direction', [scroll(500)], [scroll(900)], true],
  ['the other direction', [scroll(500)], [scroll(-500)], false],
  ['the end in the same direction', [scroll(500)], [act({ action: 'scroll', to: 'bottom' })], true],
  [
    'a scroll of an element instead of the page',
    [scroll(500)],
    [act({ action: 'scroll', by: { y: 500 }, target: { elementIndex: 1 } })],
    false,
  ],
  ['the same address with a slash', [go('https://shop.test/')], [go('https://shop.test')], true],
  ['another address', [go('https://shop.test/a')], [go('https://shop.test/b')], false],
  [
    'another option',
    [act({ action: 'selectOption', target: { elementIndex: 4 }, option: 'red' })],
    [act({ action: 'selectOption', target: { elementIndex: 4 }, option: 'blue' })],
    false,
  ],
  ['another waiting time', [act({ action: 'wait', seconds: 1 })], [act({ action: 'wait', seconds: 5 })], true],
  ['the same answer', [done('3 ropes')], [done('3  ropes')], true],
  ['another answer', [done({ ropes: 3 })], [done({ ropes: 4 })], false],
  ['an answer with its fields in another order', [done({ a: 1, b: 2 })], [done({ b: 2, a: 1 })], true],
  ['an answer that the label does not need', [done(null)], [done('Ordered')], true],
  [
    'other words of a question',
    [{ kind: 'ask', question: 'Which color?' }],
    [{ kind: 'ask', question: 'Color?' }],
    true,
  ],
  [
    'a question instead of a failure',
    [{ kind: 'fail', reason: 'Sold out' }],
    [{ kind: 'ask', question: 'Sold out?' }],
    false,
  ],
  [
    'a stored value before the action',
    [click({ elementIndex: 3 })],
    [{ kind: 'store', key: 'price', value: '3' }, click({ elementIndex: 3 })],
    true,
  ],
])('%s', (_title, label, answer, isMatch) => {
  expect(compareActions(label, answer, page).isMatch).toBe(isMatch);
});

test('the parts of a comparison are reported apart', () => {
  expect(compareActions([fill(4, '3')], [fill(3, '3')], page)).toEqual({
    ...{ isMatch: false, hasSameKind: true, hasSameTarget: false, hasSameText: true },
    distance: { pixels: 100, share: 100 / Math.hypot(1000, 800) },
  });
  expect(compareActions([act({ action: 'goBack' })], [act({ action: 'goBack' })], page)).toEqual({
    ...{ isMatch: true, hasSameKind: true, hasSameTarget: null, hasSameText: null, distance: null },
  });
});

test('the distance of a point is measured from the center of the target', () => {
  const { distance } = compareActions([click({ elementIndex: 3 })], [point(180, 275)], page);
  expect(distance).toEqual({ pixels: 30, share: 30 / Math.hypot(1000, 800) });
});

describe('without a page', () => {
  test.each<[string, ActionToCompare, ActionToCompare, boolean | null]>([
    ['the same index', click({ elementIndex: 3 }), click({ elementIndex: 3 }), true],
    ['another index', click({ elementIndex: 3 }), click({ elementIndex: 4 }), false],
    ['close points', point(500, 500), point(505, 505), true],
    ['distant points', point(500, 500), point(600, 500), false],
    ['an element and a point', click({ elementIndex: 3 }), point(500, 500), null],
    ['an element and a point for another kind', fill(3, 'x'), point(500, 500), false],
  ])('%s', (_title, label, answer, isMatch) => {
    expect(compareActions([label], [answer], null)).toMatchObject({ isMatch, distance: null });
  });
});
