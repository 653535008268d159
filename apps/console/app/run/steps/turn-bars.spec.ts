import type { StepState, Turn } from '../run-state.ts';
import { turnAt, turnBarsOf, turnTimesOf } from './turn-bars.ts';

const timeAt = (second: number) => new Date(1e12 + second * 1000).toISOString();
const turn = (number: number, endSecond: number, fields: Partial<Turn> = {}): Turn => ({
  ...{ branch: null, turn: number, thought: '', page: null, subGoals: null, actions: [], notes: [] },
  endedAt: timeAt(endSecond),
  ...fields,
});
const step = (turns: Turn[], fields: Partial<StepState> = {}): StepState =>
  ({
    index: 0,
    status: 'completed',
    startedAt: timeAt(0),
    finishedAt: timeAt(10),
    turns,
    ...fields,
  }) as unknown as StepState;
const seconds = (steps: StepState) =>
  turnTimesOf(steps).map(({ startMs, endMs, outcome }) => [startMs / 1000 - 1e9, endMs / 1000 - 1e9, outcome]);
const failedAction = { n: 1, title: 'Click', ms: 1, error: 'Nothing is there', result: null };

test('each turn has its time and outcome', () => {
  const turns = [
    turn(0, 1),
    turn(1, 3),
    turn(2, 6, { actions: [failedAction] }),
    turn(3, 9, { notes: [{ note: 'Not yet', isPositive: false }] }),
  ];
  expect(seconds(step(turns))).toEqual([
    [0, 3, 'completed'],
    [3, 6, 'failed'],
    [6, 10, 'problem'],
  ]);
  expect(seconds(step(turns, { status: 'failed' })).at(-1)).toEqual([6, 10, 'failed']);
  expect(seconds(step(turns, { status: 'running', finishedAt: null })).at(-1)).toEqual([6, 9, 'problem']);
});

test('branches have their own times', () => {
  const turns = [turn(1, 3, { branch: 'a' }), turn(1, 5, { branch: 'b' }), turn(2, 6, { branch: 'a' })];
  expect(seconds(step(turns))).toEqual([
    [0, 3, 'completed'],
    [0, 5, 'completed'],
    [3, 10, 'completed'],
  ]);
});

test('bars stand side by side on the axis', () => {
  const fractionOf = (ms: number) => (ms / 1000 - 1e9) / 10;
  const bars = turnBarsOf([step([turn(1, 3), turn(2, 10)]), step([])], { fractionOf });
  expect(bars.map(({ left, width }) => [left, width].map((value) => Math.round(value * 10)))).toEqual([
    [0, 3],
    [3, 7],
  ]);
  const many = step(Array.from({ length: 1000 }, (_, index) => turn(index + 1, (index + 1) / 100)));
  expect(turnBarsOf([many], { fractionOf }).length).toBeLessThan(600);
});

test.each([
  ['problem', { notes: [{ note: 'Not yet', isPositive: false }] }],
  ['failed', { actions: [failedAction] }],
])('narrow bars are one bar with the worst outcome: %s', (outcome, fields) => {
  const fractionOf = (ms: number) => (ms / 1000 - 1e9) / 10;
  const turns = [turn(1, 0.005), turn(2, 0.01, fields), turn(3, 0.015), turn(4, 10)];
  const [merged, next] = turnBarsOf([step(turns)], { fractionOf });
  expect(merged).toMatchObject({ outcome, left: 0, turn: { turn: 2 } });
  expect(merged?.width).toBeCloseTo(0.0015, 6);
  expect(next).toMatchObject({ outcome: 'completed', turn: { turn: 4 } });
});

test('the turn at a time is found', () => {
  const goal = step([turn(1, 3), turn(2, 6)]);
  expect(turnAt(goal, 1e12 + 4000)?.turn.turn).toBe(2);
  expect(turnAt(goal, 1e12 + 20_000)).toBeUndefined();
});
