import { evalReport, type EvalRun } from './eval-report.ts';

const aRun = (task: string, variant: string, facts: Partial<EvalRun> = {}): EvalRun => ({
  ...{
    task,
    variant,
    repeat: 1,
    run: 'r',
    problems: [],
    status: 'completed',
    seconds: 10,
    steps: 4,
    modelFreeSteps: 3,
  },
  ...{ calls: 1, tokens: 1000, usd: 0.01 },
  ...facts,
});

test('success, duration and usage by variant and by task', () => {
  const report = evalReport([
    aRun('a', 'one', { seconds: 1 }),
    aRun('a', 'one', { seconds: 2, problems: ['wrong'] }),
    aRun('b', 'one', { seconds: 9, usd: 0.04, steps: 2, modelFreeSteps: 0 }),
  ]);
  expect(report.variants.one).toMatchObject({
    ...{
      successes: 2,
      trials: 3,
      rate: expect.closeTo(0.667, 3),
      medianSeconds: 2,
      meanSteps: expect.closeTo(3.333, 3),
    },
    ...{ modelFreeShare: 0.6, meanTokens: 1000, meanUsd: expect.closeTo(0.02, 6) },
  });
  expect(report.tasks.map(({ task, variants }) => [task, variants.one?.successes, variants.one?.trials])).toEqual([
    ['a', 1, 2],
    ['b', 1, 1],
  ]);
  expect(report.difference).toBeNull();
});

test('two variants are compared, with the significance of the difference', () => {
  const runs = (variant: string, failures: number) =>
    Array.from({ length: 20 }, (_, index) => aRun('a', variant, { problems: index < failures ? ['wrong'] : [] }));
  expect(evalReport([...runs('one', 16), ...runs('two', 2)]).difference).toMatchObject({
    rate: 0.7,
    isSignificant: true,
  });
  expect(evalReport([...runs('one', 3), ...runs('two', 2)]).difference).toMatchObject({ isSignificant: false });
  expect(evalReport([...runs('one', 3), ...runs('two', 2), ...runs('three', 1)]).difference).toBeNull();
});
