import type { Action } from '@pilothouse/contract/actions/action-sets';
import { turnRecordSchema } from '@pilothouse/contract/learning/turn-record.schema';
import { anElement, aPage, clickOn } from '@pilothouse/testing/agent-builders';
import {
  isUnverified,
  requestText,
  targetBounds,
  turnRecordOf,
  type TurnDraft,
  type TurnOrigin,
} from './turn-draft.ts';

const origin: TurnOrigin = {
  run: '0198c0de-0000-7000-8000-000000000001',
  attempt: 2,
  step: 1,
  id: 'goal',
  surface: 'browser',
};
const page = aPage([anElement(3), anElement(4, { role: 'link', name: 'Cart' })], {
  text: { text: 'Everything for ships', length: 20 },
});
const done = { kind: 'done' as const, claim: { answer: null, anchor: 'Cart', indicators: [] } };

const aDraft = (overrides: Partial<TurnDraft> = {}): TurnDraft => ({
  turn: 1,
  order: 1,
  at: '2026-11-01T12:00:00.000Z',
  goal: 'Order three ropes',
  input: { system: 'You operate a browser.', text: 'Goal: Order three ropes' },
  prompt: { name: 'act-text', version: 1 },
  tier: 'text',
  source: 'model',
  page,
  answer: {
    text: '',
    calls: [{ name: 'click', args: { element: 3 } }],
    provider: 'gemini',
    model: 'flash',
    dialect: 'calls',
  },
  thought: 'The button orders them.',
  planned: [clickOn(3)],
  problems: [],
  outcomes: [anOutcome()],
  notes: [],
  ...overrides,
});
const anOutcome = (overrides: Partial<TurnDraft['outcomes'][number]> = {}): TurnDraft['outcomes'][number] => ({
  sequence: 5,
  planned: 0,
  action: { action: 'click', target: { elementIndex: 3 } },
  error: null,
  durationMs: 40,
  urlAfter: page.url,
  titleAfter: page.title,
  pageBefore: page,
  pageAfter: aPage([anElement(3)]),
  ...overrides,
});
const recordOf = (overrides: Partial<TurnDraft> = {}) =>
  turnRecordSchema.parse(turnRecordOf(aDraft(overrides), origin));

test('a record has the page, the actions and their results', () => {
  expect(recordOf()).toMatchObject({
    ...origin,
    model: 'gemini/flash',
    dialect: 'calls',
    observation: { url: page.url, text: 'Everything for ships', elements: [{ index: 3 }, { index: 4, name: 'Cart' }] },
    actions: [
      {
        sequence: 5,
        kind: 'act',
        title: 'Click [3] button "B3"',
        action: { action: 'click', target: { elementIndex: 3 } },
        target: { x: 0, y: 60, width: 100, height: 20 },
        call: { name: 'click', args: { element: 3 } },
      },
    ],
    outcomes: [{ sequence: 5, error: null, hasChanged: true }],
    verification: { result: 'none' },
  });
});

test('decisions that are no action, and actions that were not executed, have no number', () => {
  const { actions } = recordOf({ planned: [clickOn(3), clickOn(4), done], outcomes: [anOutcome()] });
  expect(actions.map(({ sequence, kind, call }) => [sequence, kind, call])).toEqual([
    [5, 'act', null],
    [null, 'act', null],
    [null, 'done', null],
  ]);
  expect(actions[2]).toMatchObject({ action: null, args: { claim: done.claim }, target: null });
});

test('an action that the agent inserted follows the planned ones', () => {
  const close: Action = { action: 'click', target: { elementIndex: 4 } };
  const { actions } = recordOf({ outcomes: [anOutcome({ sequence: 4, planned: null, action: close }), anOutcome()] });
  expect(actions.map(({ sequence, title }) => [sequence, title])).toEqual([
    [5, 'Click [3] button "B3"'],
    [4, 'Click [4] link "Cart"'],
  ]);
});

test.each<[string, Partial<TurnDraft>, string, string]>([
  [
    'a met expectation',
    { notes: [{ kind: 'verified', note: 'As expected: title “Cart”' }] },
    'verified',
    'As expected: title “Cart”',
  ],
  [
    'an unmet expectation',
    { notes: [{ kind: 'problem', note: 'Expected title “Cart”; instead nothing changed' }] },
    'unverified',
    'Expected title “Cart”; instead nothing changed',
  ],
  [
    'a failed action',
    {
      outcomes: [anOutcome({ error: { code: 'TARGET_NOT_FOUND', message: 'No element' } })],
      notes: [{ kind: 'problem', note: 'x' }],
    },
    'failed',
    'No element',
  ],
  [
    'an unusable answer',
    { planned: [], outcomes: [], answer: null, problems: ['Call a function.'] },
    'failed',
    'Call a function.',
  ],
  ['no check', { notes: [{ kind: 'data_stored', note: 'x' }] }, 'none', ''],
])('the verification of %s', (_, overrides, result, note) => {
  expect(recordOf(overrides).verification).toEqual({ result, note });
  expect(isUnverified(recordOf(overrides))).toBe(result !== 'verified');
});

test.each<[Action, object | null]>([
  [
    { action: 'click', target: { point: { x: 500, y: 250 } } },
    { x: 500, y: 200, width: 0, height: 0 },
  ],
  [
    { action: 'click', target: [{ css: '#cart' }, { role: 'link', name: 'Cart' }] },
    { x: 0, y: 80, width: 100, height: 20 },
  ],
  [{ action: 'click', target: { elementIndex: 9 } }, null],
  [{ action: 'goBack' }, null],
])('the target of %j is at %j', (action, bounds) => {
  expect(targetBounds(action, page)).toEqual(bounds);
});

test('an unchanged page is no change, and a page that was not observed is unknown', () => {
  const hasChanged = (nextPage: typeof page | null) =>
    recordOf({ outcomes: [anOutcome({ pageAfter: nextPage })] }).outcomes[0]?.hasChanged;
  expect([hasChanged(page), hasChanged(null)]).toEqual([false, null]);
});

test('the text of a request has no image', () => {
  const image = { image: { contentType: 'image/jpeg' as const, data: 'aGk=' } };
  const messages = [
    { role: 'user' as const, parts: [{ text: 'Goal' }, image] },
    { role: 'user' as const, parts: [{ text: 'Page' }] },
  ];
  expect(requestText({ system: 'You operate a browser.', messages })).toEqual({
    system: 'You operate a browser.',
    text: 'Goal\n\nPage',
  });
});
