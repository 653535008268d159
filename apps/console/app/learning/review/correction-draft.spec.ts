import { correctedActionsSchema, type CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import {
  correctedActionOf,
  draftKinds,
  draftOf,
  draftsOf,
  type DraftKindName,
  correctedActionText,
} from './correction-draft.ts';

const target = { elementIndex: 3 };
const names = Object.keys(draftKinds).filter((kind) => kind !== 'json') as DraftKindName[];

test.each(names)('the form of %s produces a valid action, and reads it back', (kind) => {
  const { target: targetUse } = draftKinds[kind];
  const text = 'field' in draftKinds[kind] ? (kind === 'wait' ? '2' : 'https://shop.test/') : '';
  const draft = { kind, target: targetUse === 'none' ? null : target, text };
  const { action, problem } = correctedActionOf(draft);
  expect(problem).toBeUndefined();
  expect(correctedActionsSchema.safeParse([action]).error?.issues ?? []).toEqual([]);
  expect(draftOf(action as CorrectedAction)).toEqual(draft);
});

test.each<[CorrectedAction, object]>([
  [{ kind: 'act', action: { action: 'click', target: { elementIndex: 3 }, button: 'right' } }, { kind: 'json' }],
  [{ kind: 'act', action: { action: 'click', target: { css: 'button' } } }, { kind: 'json' }],
  [{ kind: 'act', action: { action: 'goBack' } }, { kind: 'json' }],
  [{ kind: 'done', answer: { sku: 'R-1' } }, { kind: 'json' }],
  [{ kind: 'done', answer: null, anchor: 'Tasks', indicators: ['Saved'] }, { kind: 'json' }],
  [
    { kind: 'done', answer: null },
    { kind: 'done', text: '' },
  ],
  [
    { kind: 'act', action: { action: 'click', target: { point: { x: 10, y: 20 } } } },
    { kind: 'click', target: { point: { x: 10, y: 20 } } },
  ],
])('%j is edited as %j and stays equal', (action, draft) => {
  expect(draftOf(action)).toMatchObject(draft);
  expect(correctedActionOf(draftOf(action)).action).toEqual(action);
});

test.each([
  [{ kind: 'click', target: null, text: '' }, 'Click: pick a target'],
  [{ kind: 'fill', target, text: ' ' }, 'Fill: enter a value in “Text”'],
  [{ kind: 'wait', target: null, text: 'long' }, 'Wait: enter a number'],
  [{ kind: 'json', target: null, text: '[1]' }, 'enter a JSON object'],
  [{ kind: 'json', target: null, text: '{' }, 'enter a JSON object'],
] as const)('%j is not complete', (draft, problem) => expect(correctedActionOf(draft).problem).toContain(problem));

test('a correction starts with the last correction, else with the actions of the step', () => {
  const action = { action: 'click' as const, target };
  const own = { kind: 'act' as const, title: 'Click', action, target: null, error: null };
  expect(draftsOf({ correctedActions: [{ kind: 'ask', question: 'Which?' }], actions: [own] })).toMatchObject([
    { kind: 'ask', text: 'Which?' },
  ]);
  expect(draftsOf({ correctedActions: null, actions: [own] })).toMatchObject([{ kind: 'click', target }]);
  expect(draftsOf({ correctedActions: null, actions: [{ ...own, kind: 'done', action: null }] })).toMatchObject([
    { kind: 'click', target: null },
  ]);
});

test.each<[CorrectedAction, string]>([
  [{ kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } }, 'Click [3] button “B3”'],
  [{ kind: 'act', action: { action: 'fill', target: { elementIndex: 9 }, text: 'Ada' } }, 'Fill element 9: Ada'],
  [{ kind: 'act', action: { action: 'click', target: { point: { x: 10.4, y: 20 } } } }, 'Click point 10, 20'],
  [{ kind: 'done', answer: null }, 'Done'],
  [{ kind: 'act', action: { action: 'goBack' } }, '{"kind":"act","action":{"action":"goBack"}}'],
])('%j is written as %s', (action, text) => expect(correctedActionText(action, turnRecord())).toBe(text));
