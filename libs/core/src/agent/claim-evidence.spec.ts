import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { aClaimHistory, aGoal, anElement, aPage } from '@pilothouse/testing/agent-builders';
import { answerParts, sourceGap } from './claim-evidence.ts';
import { alertsNearFields, invalidFields } from './entered-values.ts';
import { verifyClaim } from './goal-verification.ts';
import { asksToOpenPage, asksToReadOnly } from './goal-wording.ts';
import { hasNumber, hasWords, normalizeText, pageTextOf } from './observed-text.ts';

/* A claim counts only with evidence: a text that is new, or an answer that stands on the page. */

const known = (text: string | null) => ({ initialText: text, knownText: text });

const gallery = aPage(
  [
    anElement(33, { name: 'Count' }),
    anElement(34, { role: 'heading', name: 'Widget gallery', interactive: false }),
    anElement(35, { role: 'text', name: 'Counted 3 times', interactive: false }),
  ],
  { title: 'Widget gallery', url: 'https://demo.test/widgets' },
);

const verdictOf = (
  claim: { answer?: Json; indicators: readonly string[] },
  history: Parameters<typeof aClaimHistory>[0],
  requiresSources = false,
) =>
  verifyClaim({ answer: null, anchor: 'Widget', ...claim }, gallery, {
    texts: [],
    condition: null,
    requiresSources,
    history: aClaimHistory(history),
  });

describe('claims in the first turn, without an action', () => {
  const noAction = { actionCount: 0, ...known(pageTextOf(gallery)), goal: aGoal({ text: 'Report the heading' }) };
  test.each([
    [
      'an answer that no page shows',
      { answer: 'zebra', indicators: ['Widget gallery'] },
      'no page shows the answer "zebra"',
    ],
    ['the index of an element as answer and indicator', { answer: '33', indicators: ['33'] }, 'does not show "33"'],
    [
      'the index of an element as answer',
      { answer: '33', indicators: ['Widget gallery'] },
      'no page shows the answer "33"',
    ],
    ['a text that was visible from the start', { indicators: ['Widget gallery'] }, 'no action succeeded'],
  ])('%s is undecided', (_, claim, detail) =>
    expect(verdictOf(claim, noAction)).toEqual({ result: 'undecided', detail: expect.stringContaining(detail) }),
  );

  test('an answer on the page meets a goal that asks for information', () => {
    const claim = { answer: 'Widget gallery', indicators: ['Widget gallery'] };
    expect(verdictOf(claim, noAction)).toEqual({ result: 'met', verifiedBy: 'text' });
    const change = { ...noAction, goal: aGoal({ text: 'Rename the page and report its heading' }) };
    expect(verdictOf(claim, change)).toMatchObject({ result: 'undecided' });
  });
});

describe('claims after an action', () => {
  const initial = known(normalizeText('Widget gallery Counted 0 times'));
  test.each([
    ['a new text', { indicators: ['Counted 3 times'] }, 'met'],
    ['an old text and a new one', { indicators: ['Widget gallery', 'Counted 3 times'] }, 'met'],
    ['only an old text', { indicators: ['Widget gallery'] }, 'undecided'],
    ['an old text, with a new answer on the page', { answer: '3', indicators: ['Widget gallery'] }, 'met'],
    ['an old text, with an answer that was there', { answer: 'gallery', indicators: ['Widget gallery'] }, 'undecided'],
    ['a part of a new word', { indicators: ['ounted'] }, 'undecided'],
    ['a state of an element', { indicators: ['"Count" focused'] }, 'undecided'],
    ['a new text, with an answer that no page shows', { answer: '7', indicators: ['Counted 3 times'] }, 'undecided'],
    ['a new text and a boolean', { answer: { isDone: true }, indicators: ['Counted 3 times'] }, 'met'],
    ['an old text and a boolean', { answer: { isDone: true }, indicators: ['Widget gallery'] }, 'undecided'],
  ])('%s: %#', (_, claim, result) =>
    expect(verdictOf(claim, { ...initial, goal: aGoal({ text: 'Press Count three times' }) })).toMatchObject({
      result,
    }),
  );

  test('a typed text is new only if a later action may have submitted it and a page shows it', () => {
    const claim = { anchor: null, answer: null, indicators: ['Buy milk'] };
    const field = anElement(1, { role: 'textbox', name: 'Task', value: 'Buy milk' });
    const item = anElement(2, { role: 'listitem', name: 'Buy milk', interactive: false });
    const verdict = (elements: ElementView[], typedTexts: string[]) =>
      verifyClaim(claim, aPage(elements), {
        ...{ texts: [], condition: null, requiresSources: false },
        filledIndexes: () => new Set([1]),
        history: aClaimHistory({ goal: aGoal({ text: 'Add the task Buy milk' }), ...known('tasks'), typedTexts }),
      });
    expect(verdict([field], [])).toMatchObject({ result: 'undecided' });
    expect(verdict([field, item], ['Buy milk'])).toMatchObject({ result: 'undecided' });
    expect(verdict([field, item], [])).toMatchObject({ result: 'met' });
  });

  test('a text that only came into view is new for a goal that asks for a page', () => {
    const claim = { indicators: ['Counted 3 times'] };
    const history = { initialText: 'start', knownText: pageTextOf(gallery) };
    const verdict = (text: string) => verdictOf(claim, { ...history, goal: aGoal({ text }) }).result;
    expect(verdict('Press Count three times')).toBe('undecided');
    expect(verdict('Go to the gallery')).toBe('met');
  });

  test('the name of a control is no evidence that it was used', () =>
    expect(verdictOf({ indicators: ['Count'] }, { ...known('start'), goal: aGoal({ text: 'Press Count' }) })).toEqual({
      result: 'undecided',
      detail: 'the named texts are only names of controls',
    }));

  test('a text is not new if the page before the first action is unknown', () =>
    expect(verdictOf({ indicators: ['Counted 3 times'] }, known(null))).toMatchObject({
      result: 'undecided',
    }));

  test('an answer may stand on an earlier page', () => {
    const claim = { answer: { price: 1234.5 }, indicators: ['Counted 3 times'] };
    expect(verdictOf(claim, { ...initial, seenTexts: ['total 1.234,50 €'] })).toMatchObject({ result: 'met' });
    expect(verdictOf(claim, { ...initial, seenTexts: ['total 11.234,50 €'] })).toEqual({
      result: 'undecided',
      detail: 'no page shows the answer /price 1234.5',
    });
  });

  test('`requireSources` rejects an answer that no page shows', () => {
    const claim = { answer: ['Widget gallery', 'zebra'], indicators: ['Counted 3 times'] };
    expect(verdictOf(claim, initial, true)).toEqual({
      result: 'not-met',
      detail: 'no page shows the answer /1 "zebra"',
    });
  });
});

test('an answer that is too large to check is not accepted by its page', () => {
  const text = 'a '.repeat(100_000);
  const answer = Array.from({ length: 500 }, (_, index) => `a ${'a '.repeat(index)}-a`);
  const history = aClaimHistory({ actionCount: 1, knownText: '', seenTexts: [text] });
  const verdict = (requiresSources: boolean) =>
    verifyClaim({ anchor: null, answer: ['a', ...answer], indicators: ['Counted'] }, aPage([], { title: 'Counted' }), {
      ...{ texts: [], condition: null, history, requiresSources },
    });
  const detail = expect.stringMatching(/no page shows|not checked/);
  expect(verdict(false)).toMatchObject({ result: 'undecided', detail });
  expect(verdict(true)).toMatchObject({ result: 'not-met', detail });
  expect(sourceGap([{ pointer: '/1', value: 'a', origin: 'unchecked' }])).toBe(
    'the answer is too large: 1 of its values were not checked',
  );
});

test('each value of an answer has a source', () => {
  const schema = {
    type: 'object' as const,
    properties: { status: { anyOf: [{ enum: ['open', 'closed'] }, { type: 'null' as const }] } },
  };
  const answer = { status: 'open', items: [{ name: 'Rope' }, { name: 'Zebra' }], isPaid: false, note: '', none: null };
  expect(answerParts(answer, schema, ['rope 8 mm']).map(({ pointer, origin }) => `${pointer} ${origin}`)).toEqual([
    '/status computed',
    '/items/0/name page',
    '/items/1/name missing',
    '/isPaid computed',
  ]);
});

test.each([
  ['33', '1,233', false],
  ['33', '33.5', false],
  ['33', 'a33', false],
  ['33', 'on page 33.', true],
  ['33', '(33)', true],
  ['approve', 'disapprove', false],
  ['Café', 'cafe\u0301 lighthouse', true],
  ['rope', 'ro\u200Bpe', true],
  ['€5', 'costs €5 now', true],
  ['山田太郎', '担当者は山田太郎です', true],
  ["don't", 'I don’t know', true],
  ['2026-11-29', '2026–11–29', true],
])('%j as whole words in %j: %s', (value, text, isFound) => expect(hasWords(normalizeText(text), value)).toBe(isFound));

test.each([
  [1234.5, '1,234.50', true],
  [1234.5, '1 234,5 €', true],
  [1234, '1.234', true],
  [1.234, '1.234', true],
  [1234567, '1,234,567', true],
  [3, '13', false],
  [-4, '−4 °C', true],
  [4, '−4 °C', false],
  [4, '3–4 days', true],
  [12, '1.2', false],
  [1999, '$19.99', false],
  [1234, '12 34', false],
  [1234, '1,234 5,678', true],
  [33, 'a33f', false],
])('number %d in %j: %s', (value, text, isFound) => expect(hasNumber(normalizeText(text), value)).toBe(isFound));

test.each([
  ['What is the heading of this page?', true],
  ['Report the price of the rope', true],
  ['Search for ropes and report the first price', false],
  ['Go to page 2 and tell the first title', false],
  ['Report user bob as spam', false],
  ['Return the parcel', false],
  ['Lösche den Report mit dem Name Bob', false],
  ['Report the counter after pressing Count', false],
  ['Add a task and tell its number', false],
  ['Submit the form', false],
  ['Nenne die Überschrift', false],
])('%s asks for information only: %s', (goal, isReading) => expect(asksToReadOnly(goal)).toBe(isReading));

test.each([
  ['Go to the pricing page.', true],
  ['Open the history tab', true],
  ['Visit the settings', true],
  ['Open a ticket', false],
  ['Open the settings page and enable dark mode', false],
  ['Go to settings, enable dark mode', false],
  ['Show prices in euros', false],
])('%s asks for a page only: %s', (goal, isForPage) => expect(asksToOpenPage(goal)).toBe(isForPage));

describe('validation errors', () => {
  const entered = [{ document: 1, index: 1, value: { text: 'rob' }, isFollowed: true }];
  const field = anElement(1, {
    role: 'textbox',
    name: 'E-mail',
    value: 'rob',
    tags: ['invalid'],
    description: 'Use an @',
  });

  test('of a field with an entered value contradicts a claim', () => {
    const page = aPage([field, anElement(2, { role: 'textbox', name: 'Name', tags: ['invalid'] })]);
    expect(invalidFields(entered, page)).toEqual(['the page marks textbox "E-mail" as invalid: "Use an @"']);
    expect(
      verifyClaim({ answer: null, anchor: null, indicators: ['E-mail'] }, page, {
        texts: [],
        condition: null,
        requiresSources: false,
        invalidFields: (current) => invalidFields(entered, current),
        history: aClaimHistory(),
      }),
    ).toMatchObject({ result: 'not-met' });
    expect(invalidFields(entered, aPage([field], { document: 2 }))).toEqual([]);
    // The form was submitted and cleared.
    expect(invalidFields(entered, aPage([{ ...field, value: '' }]))).toEqual([]);
  });

  test('in an alert near such a field leaves a claim undecided', () => {
    const alert = { role: 'alert', interactive: false, name: 'Use a full address' };
    const valid = { ...field, tags: [] };
    const near = aPage([valid, anElement(3, alert)]);
    expect(alertsNearFields(entered, near, '')).toEqual([
      'the page shows the alert "Use a full address" near an entered value',
    ]);
    expect(alertsNearFields(entered, near, 'use a full address')).toEqual([]);
    expect(alertsNearFields(entered, aPage([valid, anElement(40, alert)]), '')).toEqual([]);
  });
});
