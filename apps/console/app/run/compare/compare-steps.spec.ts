import { createStepState, type StepState } from '../run-state.ts';
import { compareSteps } from './compare-steps.ts';

const step = (index: number, fields: Partial<StepState> = {}): StepState => ({
  ...createStepState(index),
  status: 'completed',
  action: 'click',
  ...fields,
});
const run = (...steps: StepState[]) => ({ status: 'completed' as const, steps });
const comparedRows = (...args: Parameters<typeof compareSteps>) =>
  compareSteps(...args).map(({ left, right, differences }) => [
    left?.path ?? null,
    right?.path ?? null,
    differences.join(' '),
  ]);

test('equal runs have no differences', () => {
  const steps = [step(0, { startedAt: '2026-01-01T00:00:00Z' }), step(1)];
  expect(comparedRows(run(...steps), run(step(0), step(1)), true)).toEqual([
    ['1', '1', ''],
    ['2', '2', ''],
  ]);
});

test.each([
  ['status error', { status: 'failed', error: { code: 'TARGET_NOT_FOUND', message: 'x', retry: 'no' } }],
  ['locator', { located: { locator: 'css=b', triedCount: 2 } }],
  ['locator', { healedElement: 'button "Send"' }],
  ['output', { value: { a: 2 } }],
])('finds a different %s', (differences, fields) => {
  const located = { locator: 'css=a', triedCount: 1 };
  const left = step(0, { located, value: { a: 1 } });
  expect(comparedRows(run(left), run({ ...left, ...(fields as Partial<StepState>) }), true)).toEqual([
    ['1', '1', differences],
  ]);
});

test('steps that were not reached count as skipped in both runs', () => {
  const left = { status: 'failed' as const, steps: [step(0, { status: 'pending' })] };
  expect(comparedRows(left, run(step(0, { status: 'skipped' })), true)).toEqual([['1', '1', '']]);
});

test('iterations that only one run has keep their position', () => {
  const stepAt = (path: string, index: number) => step(index, { path });
  const left = run(stepAt('1', 0), stepAt('rows[1]/1', 1), stepAt('2', 2));
  const right = run(stepAt('1', 0), stepAt('rows[1]/1', 1), stepAt('rows[2]/1', 2), stepAt('2', 3), stepAt('3', 4));
  expect(comparedRows(left, right, true)).toEqual([
    ['1', '1', ''],
    ['rows[1]/1', 'rows[1]/1', ''],
    [null, 'rows[2]/1', 'missing'],
    ['2', '2', ''],
    [null, '3', 'missing'],
  ]);
  expect(comparedRows(right, left, true)[2]).toEqual(['rows[2]/1', null, 'missing']);
});

test('steps of different versions are paired by action and title', () => {
  const left = run(step(0, { title: 'Open' }), step(1, { title: 'Send' }), step(2, { title: 'Send' }));
  const right = run(step(0, { title: 'Accept cookies' }), step(1, { title: 'Open' }), step(2, { title: 'Send' }));
  expect(comparedRows(left, right, false)).toEqual([
    [null, '1', 'missing'],
    ['1', '2', ''],
    ['2', '3', ''],
    ['3', null, 'missing'],
  ]);
});

test('steps in another order are paired once', () => {
  const left = run(step(0, { title: 'A' }), step(1, { title: 'B' }));
  const right = run(step(0, { title: 'B' }), step(1, { title: 'A' }), step(2, { title: 'C' }));
  expect(comparedRows(left, right, false)).toEqual([
    ['1', '2', ''],
    ['2', '1', ''],
    [null, '3', 'missing'],
  ]);
});
