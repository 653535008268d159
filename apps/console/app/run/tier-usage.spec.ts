import { byRung, modelFree } from './tier-usage.ts';
import type { ModelCall, StoryStep } from './run-state.ts';

const step = (rung: number | null, ms: number): StoryStep => ({
  index: 0,
  at: '1',
  title: '',
  action: 'goal',
  summary: '',
  status: 'acted',
  rung,
  startedAt: new Date(0).toISOString(),
  finishedAt: rung === null ? null : new Date(ms).toISOString(),
  value: null,
  error: null,
  note: '',
  healed: null,
  page: null,
  turns: [],
  byHand: [],
});
const call = (rung: number): ModelCall => ({
  step: 0,
  role: 'act',
  rung,
  model: 'p/m',
  ms: 50,
  input: 100,
  output: 10,
  usd: 0.5,
  at: '',
});

test('each rung has the steps that came to it and no higher, and the calls on it', () => {
  const steps = [step(0, 10), step(0, 20), step(2, 1_000), step(null, 0)];
  expect(byRung(steps, [call(1), call(1), call(2)])).toEqual([
    { rung: 0, steps: 2, ms: 30, calls: 0, tokens: 0, usd: 0, modelMs: 0 },
    { rung: 1, steps: 0, ms: 0, calls: 2, tokens: 220, usd: 1, modelMs: 100 },
    { rung: 2, steps: 1, ms: 1_000, calls: 1, tokens: 110, usd: 0.5, modelMs: 50 },
  ]);
  expect(modelFree(steps)).toBeCloseTo(2 / 3);
  expect(modelFree([step(null, 0)])).toBeNull();
});
