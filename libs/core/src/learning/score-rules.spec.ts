import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { TurnAction, TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { anElement } from '@pilothouse/testing/agent-builders';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { findByRules } from './score-rules.ts';

const page = (names: string[], url = 'https://shop.test/a'): TurnRecord['observation'] => ({
  url,
  title: 'Shop',
  viewport: { width: 1000, height: 800 },
  elements: names.map((name, index) => anElement(index + 1, { name })),
  text: '',
});

const clickOn = (elementIndex: number): Action => ({ action: 'click', target: { elementIndex } });

const planned = (action: Action, sequence: number | null = 1): TurnAction => ({
  sequence,
  kind: 'act',
  title: `Do ${action.action}`,
  action,
  target: null,
  call: null,
});

const failure = (code: ErrorCode) => ({ code, message: 'It did not work', retry: 'no' as const });

/** A turn with one executed action. */
const turn = (
  number: number,
  action: Action,
  {
    error = null,
    hasChanged = true,
    ...fields
  }: Partial<TurnRecord> & { error?: ErrorCode | null; hasChanged?: boolean } = {},
): TurnRecord =>
  turnRecord({
    turn: number,
    order: number + 1,
    observation: page([`state ${number}`]),
    actions: [planned(action)],
    outcomes: [
      {
        ...{ sequence: 1, error: error && failure(error), durationMs: 5 },
        ...{ urlAfter: null, titleAfter: null, hasChanged },
      },
    ],
    ...fields,
  });

const find = (records: (TurnRecord | null)[], isCompleted = true) => findByRules(records, { isCompleted });
const same = { observation: page(['Buy', 'Back']) };
const changed = { observation: page(['Pay', 'Back'], 'https://shop.test/b') };

describe('a turn is bad', () => {
  test.each<[string, TurnRecord[], string]>([
    ['an action failed', [turn(1, clickOn(1), { error: 'TARGET_NOT_FOUND' })], '“Do click” failed: It did not work'],
    [
      'its verification failed',
      [turn(1, clickOn(1), { verification: { result: 'failed', note: 'no title “Order”' } })],
      'The turn failed: no title “Order”',
    ],
    ['it has no action', [turn(1, clickOn(1), { actions: [], outcomes: [] })], 'The answer has no usable action.'],
    [
      'it repeats an action on an unchanged page',
      [turn(1, clickOn(1), same), turn(2, clickOn(1), same)],
      'It repeated the same action, although the page had not changed.',
    ],
    [
      'it repeats an action within the turn without effect',
      [
        turn(1, clickOn(1), {
          actions: [planned(clickOn(1), 1), planned(clickOn(1), 2)],
          outcomes: [1, 2].map((sequence) => ({
            ...{ sequence, error: null, durationMs: 1, urlAfter: null, titleAfter: null, hasChanged: false },
          })),
        }),
      ],
      'It repeated an action in the turn, without a change of the page.',
    ],
    ['it waits for 11 seconds', [turn(1, { action: 'wait', seconds: 11 })], 'It waited for more than 10 seconds.'],
    [
      'it alternates between two turns',
      [
        turn(1, clickOn(1), same),
        turn(2, clickOn(2), changed),
        turn(3, clickOn(1), same),
        turn(4, clickOn(2), changed),
      ],
      'It alternates between the same two turns.',
    ],
    [
      'it acts three times on the same page without effect',
      [turn(1, clickOn(1), same), turn(2, clickOn(2), same), turn(3, { action: 'press', key: 'Enter' }, same)],
      'It acted on the same page state 3 times.',
    ],
    [
      'it repeats an action that was refused',
      [turn(1, clickOn(1), { error: 'APPROVAL_REQUIRED' }), turn(2, clickOn(9)), turn(3, clickOn(1))],
      'It repeated an action that was refused before.',
    ],
    [
      'it repeats a turn and is refused',
      [turn(1, clickOn(1), same), turn(2, clickOn(1), { ...same, actions: [planned(clickOn(1), null)], outcomes: [] })],
      'It repeated a turn on the same page, and was refused.',
    ],
    [
      'a person takes over',
      [turn(1, clickOn(1)), turn(1, clickOn(2), { source: 'person' })],
      'A person took over after this turn.',
    ],
  ])('when %s', (_, records, reason) => {
    const findings = find(records);
    const finding = records.at(-1)?.source === 'person' ? findings.at(-2) : findings.at(-1);
    expect(finding).toMatchObject({ quality: 'bad', reason });
  });
});

describe('no rule decides', () => {
  test.each<[string, TurnRecord[]]>([
    ['a turn that worked', [turn(1, clickOn(1))]],
    ['a wait of 10 seconds', [turn(1, { action: 'wait', seconds: 10 })]],
    ['the same action after the page changed', [turn(1, clickOn(1), same), turn(2, clickOn(1), changed)]],
    ['another action on the same page', [turn(1, clickOn(1), same), turn(2, clickOn(2), same)]],
    [
      'another result each time on the same list',
      [1, 2, 3].flatMap((index) => [
        turn(2 * index, clickOn(index), same),
        turn(2 * index + 1, { action: 'goBack' }, { observation: page([`result ${index}`]) }),
      ]),
    ],
    [
      'the same action in the next iteration of the step',
      [turn(1, clickOn(1), same), turn(1, clickOn(1), { ...same, order: 2 })],
    ],
    [
      'the same action of another branch',
      [turn(1, clickOn(1), same), turn(2, clickOn(1), { ...same, branchPath: 'b' })],
    ],
    ['the same action of the next attempt', [turn(1, clickOn(1), same), turn(2, clickOn(1), { ...same, attempt: 2 })]],
    [
      'several points on a page without elements',
      [1, 2, 3].map((number) =>
        turn(number, { action: 'click', target: { point: { x: 5, y: 5 } } }, { observation: page([]), tier: 'vision' }),
      ),
    ],
    ['a reading turn on the same page', [turn(1, clickOn(1), same), turn(2, clickOn(2), { ...same, outcomes: [] })]],
    ['a healed step of a run that failed', [turn(0, clickOn(1))]],
  ])('about %s', (name, records) => {
    expect(find(records, !name.includes('failed')).at(-1)).toBeNull();
  });
});

test('a missing record gets no finding, and the others keep theirs', () => {
  expect(find([null, turn(1, clickOn(1), { error: 'TARGET_NOT_FOUND' }), null])).toMatchObject([
    null,
    { rule: 'error' },
    null,
  ]);
});

test('a healed step of a completed run is good', () => {
  expect(find([turn(0, clickOn(1))])).toMatchObject([{ rule: 'healed', quality: 'good', source: 'rule' }]);
});

describe('an action of a person', () => {
  const agent = turn(1, clickOn(2), { ...same, error: 'TARGET_NOT_FOUND' });

  test('is good, and the correction of the turn before on the same page', () => {
    const findings = find([agent, turn(1, clickOn(1), { ...same, source: 'person' })]);
    expect(findings).toMatchObject([
      { quality: 'bad', source: 'person', correctedActions: [{ kind: 'act', action: clickOn(1) }] },
      { quality: 'good', source: 'person', correctedActions: null },
    ]);
  });

  test('is no correction when the page had changed', () => {
    expect(find([agent, turn(1, clickOn(1), { ...changed, source: 'person' })])[0]).toMatchObject({
      rule: 'takeover',
      correctedActions: null,
    });
  });

  test('is no correction when its element was not observed', () => {
    expect(find([agent, turn(1, clickOn(77), { ...same, source: 'person' })])[0]).toMatchObject({
      rule: 'takeover',
      correctedActions: null,
    });
  });

  test('does not make a question to the person bad', () => {
    const ask = { sequence: null, kind: 'ask' as const, title: 'Ask', action: null, target: null, call: null };
    const asking = turn(1, clickOn(1), { actions: [{ ...ask, args: { question: 'Which?' } }], outcomes: [] });
    expect(find([asking, turn(1, clickOn(1), { source: 'person' })])[0]).toBeNull();
  });
});

test('5,000 turns of one run are scored', () => {
  const records = Array.from({ length: 5000 }, (_, index) =>
    turn((index % 50) + 1, clickOn(1), { step: Math.floor(index / 50) }),
  );
  expect(find(records).every((finding) => finding === null)).toBe(true);
});
