import { checkStepBudget, secondsLeft } from './budget-check.ts';

const none = { usedSteps: 0, usedSeconds: 0 };

describe('the budget of a run', () => {
  test.each([
    ['no limit', none, undefined, { steps: 1e6, seconds: 1e6 }, undefined],
    ['a step is left', { ...none, steps: 3 }, undefined, { steps: 2, seconds: 0 }, undefined],
    ['no step is left', { ...none, steps: 3 }, undefined, { steps: 3, seconds: 0 }, 'steps'],
    [
      'steps of former attempts count',
      { ...none, steps: 3, usedSteps: 2 },
      undefined,
      { steps: 1, seconds: 0 },
      'steps',
    ],
    ['time is left', { ...none, seconds: 10 }, undefined, { steps: 9, seconds: 9.9 }, undefined],
    ['time is over', { ...none, seconds: 10 }, undefined, { steps: 0, seconds: 10 }, 'seconds'],
    [
      'seconds of former attempts count',
      { ...none, seconds: 10, usedSeconds: 8 },
      undefined,
      { steps: 0, seconds: 2 },
      'seconds',
    ],
    ['the time of the workflow is a limit, too', { ...none, seconds: 10 }, 5, { steps: 0, seconds: 6 }, 'seconds'],
  ] as const)('%s', (_, budget, timeout, used, unit) => {
    const error = checkStepBudget(budget, timeout, used);
    expect(error?.details?.['unit']).toBe(unit);
    expect(error?.code).toBe(unit && 'BUDGET_EXCEEDED');
  });

  test('the smaller limit says how many seconds are left', () => {
    expect(secondsLeft({ ...none, seconds: 10, usedSeconds: 1 }, 20, { seconds: 2 })).toBe(7);
    expect(secondsLeft(none, undefined, { seconds: 2 })).toBe(Infinity);
  });
});
