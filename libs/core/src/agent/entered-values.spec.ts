import { aClaimHistory } from '@pilothouse/testing/agent-builders';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  elementSchema,
  observationSchema,
  type ElementView,
} from '@pilothouse/contract/observation/observation.schema';
import { enteredValuesAfter, lostValues, unusedGoalTexts } from './entered-values.ts';
import type { EnteredValue } from './planned-action.ts';
import { resolveFileId, fileLines, withFileNames } from './file-inputs.ts';
import { verifyClaim } from './goal-verification.ts';

const element = (index: number, role: string, overrides: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    ...{ index, role, name: 'Field', interactive: true, state: {}, tags: [] },
    bounds: { x: 10, y: 10, width: 100, height: 20 },
    ...overrides,
  });
const page = (elements: ElementView[], text?: string) =>
  observationSchema.parse({
    ...{
      url: 'https://shop.test/',
      title: 'Shop',
      document: 1,
      loading: false,
      opaqueRegions: [],
      focused: null,
      elements,
    },
    ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 } },
    ...(text !== undefined && { text: { text, length: text.length } }),
  });
const type = (index: number, text: string): Action => ({ action: 'fill', target: { elementIndex: index }, text });
const valuesAfter = (observation: ReturnType<typeof page>, ...actions: Action[]) =>
  actions.reduce<readonly EnteredValue[]>((entered, action) => enteredValuesAfter(entered, action, observation), []);
const field = page([element(0, 'textbox'), element(1, 'checkbox')]);
const press: Action = { action: 'press', key: 'Enter' };

test.each<[string, Action[], ElementView, number]>([
  ['holds it', [type(0, 'Robin')], element(0, 'textbox', { value: 'Robin' }), 0],
  ['holds another text', [type(0, 'Robin')], element(0, 'textbox', { value: 'Rob' }), 1],
  ['holds nothing', [type(0, 'Robin')], element(0, 'textbox', { value: '' }), 1],
  ['was emptied by a key', [type(0, 'Robin'), press], element(0, 'textbox', { value: '' }), 0],
  [
    'holds the text that was typed last',
    [type(0, 'Ada'), type(0, 'Robin')],
    element(0, 'textbox', { value: 'Robin' }),
    0,
  ],
  ['shows a date in another form', [type(0, '2026-11-24')], element(0, 'textbox', { value: '11/24/2026' }), 0],
  ['shows an amount in another form', [type(0, '1234')], element(0, 'textbox', { value: '1,234' }), 0],
  ['is a secret', [type(0, '{{inputs.p}}')], element(0, 'textbox', { value: '' }), 0],
  [
    'was cut in the list',
    [type(0, 'x'.repeat(90))],
    element(0, 'textbox', { value: `${'x'.repeat(80)}… (90 characters)` }),
    0,
  ],
  [
    'is a box that is ticked',
    [{ action: 'check', target: { elementIndex: 1 } }],
    element(1, 'checkbox', { state: { checked: true } }),
    0,
  ],
  [
    'is a box that is not ticked',
    [{ action: 'check', target: { elementIndex: 1 } }],
    element(1, 'checkbox', { state: { checked: false } }),
    1,
  ],
])('field that %s', (_, actions, element, lost) => {
  expect(lostValues(valuesAfter(field, ...actions), page([element]))).toHaveLength(lost);
});

test('requires text typed at the caret to be on the page', () => {
  const entered = valuesAfter(field, {
    action: 'fill',
    target: { focus: true },
    text: 'first line\nsecond line',
    append: true,
  });
  expect(lostValues(entered, page([], 'first line here'))).toEqual(['the page does not show the typed "second line"']);
  expect(lostValues(entered, page([], 'first\u00a0line second line'))).toEqual([]);
});

test('does not accept a claim if an entered value is lost, despite met indicators', () => {
  const claim = { answer: null, anchor: 'Shop', indicators: ['Saved'] };
  const criteria = { texts: [], condition: null, requiresSources: false, history: aClaimHistory() };
  const observation = page([element(0, 'textbox', { value: 'Rob' })], 'Saved');
  const entered = valuesAfter(field, type(0, 'Robin'));
  expect(verifyClaim(claim, observation, criteria)).toMatchObject({ result: 'met' });
  expect(
    verifyClaim(claim, observation, { ...criteria, lostValues: (pageText) => lostValues(entered, pageText) }),
  ).toMatchObject({
    result: 'undecided',
    detail: expect.stringContaining('contains "Rob" instead of the typed "Robin"'),
  });
});

test('requires quoted texts of the goal on the page, in the answer or in an action', () => {
  const goal = { text: 'Write "alpha" and “beta”, then press "Save"' };
  const turns = [
    { number: 1, pageTitle: '', thought: '', results: ['Type “alpha” into [0] textbox', 'Click [1] button "Save"'] },
  ];
  expect(unusedGoalTexts({ goal, history: { turns } }, null, page([]))).toEqual([
    expect.stringContaining('the goal names "beta"'),
  ]);
  expect(unusedGoalTexts({ goal, history: { turns } }, null, page([], 'Beta'))).toEqual([]);
  expect(unusedGoalTexts({ goal, history: { turns } }, { text: 'beta' }, page([]))).toEqual([]);
});

test('lists files with names, types and sizes', () => {
  const id = (last: string) => `018f0000-0000-7000-8000-00000000000${last}`;
  const order = { id: id('1'), name: 'order.pdf', contentType: 'application/pdf', size: 48_213 };
  const same = [order, { ...order, id: id('2') }];
  expect(withFileNames(`Upload ${id('1')}`, [order])).toBe('Upload “order.pdf”');
  expect(fileLines({ files: [order] })).toEqual(['File to upload: “order.pdf”, application/pdf, 48 kB']);
  for (const fileName of ['order.pdf', '“order.pdf”', id('1')]) expect(resolveFileId(fileName, [order])).toBe(id('1'));
  expect(resolveFileId('other.pdf', [order])).toBe('other.pdf');
  expect(resolveFileId('order.pdf (0002)', same)).toBe(id('2'));
  expect(withFileNames(`${id('1')} ${id('2')}`, same)).toBe('“order.pdf (0001)” “order.pdf (0002)”');
});
