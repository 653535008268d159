import type { Tier } from '@pilothouse/contract/model/tier-names';
import { usageByTier, modelFreeShare } from './tier-usage.ts';
import type { ModelCall, StepState } from './run-state.ts';

const step = (tier: Tier | null, ms: number): StepState => ({
  index: 0,
  path: '1',
  number: '1',
  title: '',
  action: 'goal',
  summary: '',
  status: 'completed',
  tier,
  startedAt: new Date(0).toISOString(),
  finishedAt: tier === null ? null : new Date(ms).toISOString(),
  value: null,
  error: null,
  note: '',
  healedElement: null,
  attempts: 1,
  failedAttempts: [],
  nextAttemptAt: null,
  page: null,
  turns: [],
  answerSources: [],
  controlActions: [],
  located: null,
  result: null,
});
const call = (tier: Tier): ModelCall => ({
  step: 0,
  role: 'act',
  tier,
  model: 'p/m',
  durationMs: 50,
  input: 100,
  output: 10,
  usd: 0.5,
  calledAt: '',
});

test('each tier has the steps with this highest tier, and its model calls', () => {
  const steps = [step('replay', 10), step('replay', 20), step('vision', 1_000), step(null, 0)];
  expect(usageByTier(steps, [call('text'), call('text'), call('vision')])).toEqual([
    { tier: 'replay', steps: 2, ms: 30, calls: 0, tokens: 0, usd: 0, modelMs: 0 },
    { tier: 'text', steps: 0, ms: 0, calls: 2, tokens: 220, usd: 1, modelMs: 100 },
    { tier: 'vision', steps: 1, ms: 1_000, calls: 1, tokens: 110, usd: 0.5, modelMs: 50 },
  ]);
  expect(modelFreeShare(steps)).toBeCloseTo(2 / 3);
  expect(modelFreeShare([step(null, 0)])).toBeNull();
});
