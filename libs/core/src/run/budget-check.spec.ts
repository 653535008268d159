import { checkStepBudget, secondsLeft } from './budget-check.ts';

const UNUSED = { usedSteps: 0, usedSeconds: 0 };

describe('the budget of a run', () => {
  test.each([
    ['no limit', UNUSED, undefined, { steps: 1e6, seconds: 1e6 }, undefined],
    ['a step is left', { ...UNUSED, steps: 3 }, undefined, { steps: 2, seconds: 0 }, undefined],
    ['no step is left', { ...UNUSED, steps: 3 }, undefined, { steps: 3, seconds: 0 }, 'steps'],
    [
      'steps of earlier attempts count',
      { ...UNUSED, steps: 3, usedSteps: 2 },
      undefined,
      { steps: 1, seconds: 0 },
      'steps',
    ],
    ['time is left', { ...UNUSED, seconds: 10 }, undefined, { steps: 9, seconds: 9.9 }, undefined],
    ['time is over', { ...UNUSED, seconds: 10 }, undefined, { steps: 0, seconds: 10 }, 'seconds'],
    [
      'seconds of earlier attempts count',
      { ...UNUSED, seconds: 10, usedSeconds: 8 },
      undefined,
      { steps: 0, seconds: 2 },
      'seconds',
    ],
    ['the timeout of the workflow is a limit', { ...UNUSED, seconds: 10 }, 5, { steps: 0, seconds: 6 }, 'seconds'],
  ] as const)('%s', (_, budget, timeout, used, unit) => {
    const error = checkStepBudget(budget, timeout, used);
    expect(error?.details?.['unit']).toBe(unit);
    expect(error?.code).toBe(unit && 'BUDGET_EXCEEDED');
  });

  test('the smaller limit determines the remaining seconds', () => {
    expect(secondsLeft({ ...UNUSED, seconds: 10, usedSeconds: 1 }, 20, { seconds: 2 })).toBe(7);
    expect(secondsLeft(UNUSED, undefined, { seconds: 2 })).toBe(Infinity);
  });
});
