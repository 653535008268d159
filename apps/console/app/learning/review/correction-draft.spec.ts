import { correctedActionsSchema, type CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import {
  correctedActionOf,
  draftKinds,
  draftProblemsOf,
  EVIDENCE_LIMITS,
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
  [{ kind: 'done', answer: null, indicators: ['a\nb'] }, { kind: 'json' }],
  [
    { kind: 'done', answer: null, anchor: 'Tasks', indicators: ['Saved', '2 tasks'] },
    { kind: 'done', text: '', anchor: 'Tasks', indicators: 'Saved\n2 tasks' },
  ],
  [
    { kind: 'done', answer: 'R-1' },
    { kind: 'done', text: 'R-1' },
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
  [{ kind: 'click', target: null, text: '' }, 'target', 'Click: pick a target'],
  [{ kind: 'fill', target, text: ' ' }, 'text', 'Fill: enter a value in “Text”'],
  [{ kind: 'wait', target: null, text: 'long' }, 'text', 'Wait: enter a number'],
  [{ kind: 'json', target: null, text: '[1]' }, 'text', 'enter a JSON object'],
  [{ kind: 'json', target: null, text: '{' }, 'text', 'enter a JSON object'],
  [{ kind: 'done', target: null, text: ' ', indicators: ' \n' }, 'indicators', 'Done: enter a text of the page'],
  [{ kind: 'done', target: null, text: '', indicators: 'x\n'.repeat(11) }, 'indicators', 'at most 10 texts'],
  [{ kind: 'done', target: null, text: 'a', indicators: 'x'.repeat(501) }, 'indicators', 'at most 500 characters'],
  [{ kind: 'done', target: null, text: 'a', anchor: 'x'.repeat(501) }, 'anchor', 'at most 500 characters'],
] as const)('%j is not complete: %s', (draft, field, message) =>
  expect(correctedActionOf(draft).problem).toEqual({ field, message: expect.stringContaining(message) as string }),
);

test('the limits of evidence are those of the API', () => {
  const claim = (indicators: string[], anchor = 'Tasks') => [{ kind: 'done', answer: null, anchor, indicators }];
  const isValid = (actions: unknown) => correctedActionsSchema.safeParse(actions).success;
  const { characters, indicators } = EVIDENCE_LIMITS;
  expect(isValid(claim(Array<string>(indicators).fill('x'.repeat(characters)), 'x'.repeat(characters)))).toBe(true);
  expect(isValid(claim(Array<string>(indicators + 1).fill('x')))).toBe(false);
  expect(isValid(claim(['x'.repeat(characters + 1)]))).toBe(false);
  expect(isValid(claim(['x'], 'x'.repeat(characters + 1)))).toBe(false);
});

test('a problem of the API is shown at its field', () => {
  const problems = draftProblemsOf([
    { pointer: '/correctedActions/0/anchor', detail: 'not there' },
    { pointer: '/correctedActions/1/indicators/1', detail: 'not shown' },
    { pointer: '/correctedActions/2/action/target', detail: 'no element' },
    { pointer: '/reason', detail: 'too long' },
  ]);
  expect([...problems]).toEqual([
    [0, { field: 'anchor', message: 'not there' }],
    [1, { field: 'indicators', message: 'Text 2: not shown' }],
    [2, { field: 'text', message: 'no element' }],
  ]);
});

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
  [{ kind: 'done', answer: 'A', anchor: 'Tasks', indicators: ['Saved'] }, 'Done: A; the page shows “Tasks”, “Saved”'],
  [{ kind: 'act', action: { action: 'goBack' } }, '{"kind":"act","action":{"action":"goBack"}}'],
])('%j is written as %s', (action, text) => expect(correctedActionText(action, turnRecord())).toBe(text));
