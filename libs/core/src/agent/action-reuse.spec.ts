import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { PlannedAction } from './planned-action.ts';
import { pageCacheKey, fromCachedTurn, toCachedTurn } from './action-reuse.ts';

const page = (numbers: number[], url = 'https://harbour.example/search'): Observation => ({
  url,
  title: 'Search',
  document: 1,
  loading: false,
  viewport: { width: 1000, height: 800 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements: numbers.map((index, position) => ({
    index,
    interactive: true,
    role: 'textbox',
    name: `Field ${position}`,
    state: {},
    tags: [],
    bounds: { x: index, y: 0, width: 10, height: 10 },
  })),
  opaqueRegions: [],
});
const knownValues = [
  { template: '{{inputs.what}}', value: 'rope' },
  { template: '{{inputs.count}}', value: 5 },
];
const act = (action: Action): PlannedAction => ({ kind: 'act', action });
const type = (element: number, text: string) => act({ action: 'fill', target: { elementIndex: element }, text });

test('identifies a page regardless of element indexes, but not of names', () => {
  const facts = JSON.stringify(pageCacheKey(page([3, 7])));
  expect(JSON.stringify(pageCacheKey(page([4, 9])))).toBe(facts);
  expect(JSON.stringify(pageCacheKey(page([3])))).not.toBe(facts);
  expect(JSON.stringify(pageCacheKey(page([3, 7], 'https://harbour.example/found')))).not.toBe(facts);
  const session = (id: string) => JSON.stringify(pageCacheKey(page([3], `https://harbour.example/s/${id}`)));
  expect(session('0123456789abcdef01')).toBe(session('fedcba9876543210ff'));
});

test('restores a turn on another list of the same page, with input values', () => {
  const actions: PlannedAction[] = [
    type(7, 'a rope, please: 5'),
    type(3, '{{inputs.password}}'),
    act({ action: 'drag', target: { elementIndex: 3 }, to: { elementIndex: 7 } }),
    { kind: 'done', claim: { answer: { name: 'rope', left: 12 }, anchor: null, indicators: ['Found'] } },
  ];
  const cachedActions = toCachedTurn(actions, page([3, 7]), [knownValues[0] as (typeof knownValues)[0]], ['password']);
  expect(cachedActions).toMatchObject([
    { action: { target: { elementIndex: 1 }, text: 'a {{inputs.what}}, please: 5' } },
    { action: { target: { elementIndex: 0 }, text: '{{inputs.password}}' } },
    { action: { target: { elementIndex: 0 }, to: { elementIndex: 1 } } },
    { claim: { answer: { name: '{{inputs.what}}', left: 12 } } },
  ]);
  expect(fromCachedTurn(cachedActions ?? [], page([5, 6]), knownValues, ['password'])).toEqual([
    type(6, 'a rope, please: 5'),
    type(5, '{{inputs.password}}'),
    act({ action: 'drag', target: { elementIndex: 5 }, to: { elementIndex: 6 } }),
    actions[3],
  ]);
});

test('stores the expected result, unless it contains an input value', () => {
  const leading = (...indicators: string[]): PlannedAction[] => [
    { kind: 'act', action: { action: 'click', target: { elementIndex: 3 } }, expects: { anchor: null, indicators } },
  ];
  const cachedActions = toCachedTurn(leading('Found rope'), page([3]), knownValues, []);
  expect(cachedActions).toMatchObject([{ expects: { anchor: null, indicators: ['Found {{inputs.what}}'] } }]);
  expect(fromCachedTurn(cachedActions ?? [], page([5]), [{ template: '{{inputs.what}}', value: 'chain' }], [])).toEqual(
    [
      {
        kind: 'act',
        action: { action: 'click', target: { elementIndex: 5 } },
        expects: { anchor: null, indicators: ['Found chain'] },
      },
    ],
  );
  expect(toCachedTurn(leading('Room 5'), page([3]), knownValues, [])).toEqual([
    { kind: 'act', action: { action: 'click', target: { elementIndex: 0 } } },
  ]);
});

test.each<[string, PlannedAction, { template: string; value: Json }[]]>([
  ['a value that is too short to be recognized in a text', type(3, 'room 5'), knownValues],
  ['a value that two inputs have', type(3, 'rope'), [...knownValues, { template: '{{inputs.other}}', value: 'rope' }]],
  ['a secret', type(3, 'so ••••'), knownValues],
  ['an element that is not in the list', type(8, 'x'), knownValues],
  ['a place on the screen', act({ action: 'click', target: { point: { x: 1, y: 1 } } }), knownValues],
  ['a question', { kind: 'ask', question: 'Which?' }, knownValues],
  ['giving up', { kind: 'fail', reason: 'No' }, knownValues],
])('does not store %s', (_, plannedAction, knownValues) =>
  expect(toCachedTurn([plannedAction], page([3]), knownValues, [])).toBeNull(),
);

test('does not restore a turn that needs unknown values or a longer list', () => {
  const cachedActions = toCachedTurn([type(7, 'rope')], page([3, 7]), knownValues, []) ?? [];
  expect(fromCachedTurn(cachedActions, page([3, 7]), [], [])).toBeNull();
  expect(fromCachedTurn(cachedActions, page([3]), knownValues, [])).toBeNull();
});
