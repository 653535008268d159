import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { measureRun, type MeasuredRun } from './run-measurement.ts';

type Event = Pick<RunEvent, 'type' | 'data'>;

const aRun = (run: Partial<MeasuredRun> = {}): MeasuredRun => ({
  surface: 'browser',
  definition: { name: 'pay', steps: [{ action: 'goal', goal: 'Pay {{inputs.amount}}' }] } as MeasuredRun['definition'],
  cost: { tokens: 0, usd: 0, seconds: 4 },
  baseline: null,
  isVerification: false,
  ...run,
});

const ref = { step: 0, path: '0', id: null };
const turn = (number: number, replacedCall?: Record<string, number | null>, url = 'https://shop.test/cart'): Event => ({
  type: 'agent.turn',
  data: { ...ref, turn: number, page: { url, title: '' }, ...(replacedCall && { source: 'cache', replacedCall }) },
});
const note = (number: number, kind: string): Event => ({ type: 'agent.note', data: { ...ref, turn: number, kind } });
const modelCall = (tokens: number, usd: number | null, name = 'act-text'): Event => ({
  type: 'model.called',
  data: { prompt: { name, version: 1 }, inputTokens: tokens, outputTokens: 0, usd, durationMs: 1500 },
});
const completed = (durationMs: number): Event => ({ type: 'step.completed', data: { ...ref, durationMs } });
const healed = (method = 'similarity'): Event => ({ type: 'step.healed', data: { ...ref, method } });
const savings = (run: Partial<MeasuredRun>, events: Event[]) => measureRun(aRun(run), events).savings;

describe('the action cache', () => {
  it('saves the model calls that chose the actions', () => {
    const call = { tokens: 1200, usd: 0.003, durationMs: 2500 };
    expect(savings({}, [turn(1, call), turn(2, call), turn(3)])).toEqual([
      { mechanism: 'action_cache', count: 2, tokens: 2400, usd: 0.006, seconds: 5 },
    ]);
  });

  it('saves an unknown amount of money if the price of one call is not known', () => {
    const calls = [turn(1, { tokens: 1, usd: 0.5, durationMs: 0 }), turn(2, { tokens: 1, usd: null, durationMs: 0 })];
    expect(savings({}, calls)).toMatchObject([{ tokens: 2, usd: null }]);
  });

  it.each(['problem', 'repeated_turn', 'unverified', 'human_asked'])('saves nothing by a turn with %s', (kind) => {
    const call = { tokens: 1200, usd: 0.003, durationMs: 2500 };
    expect(savings({}, [turn(1, call), turn(2, call), note(2, kind)])).toMatchObject([{ count: 1, tokens: 1200 }]);
    expect(savings({}, [turn(1, call), note(1, kind)])).toEqual([]);
  });
});

describe('a compiled workflow', () => {
  const baseline = { tokens: 9000.4, usd: 0.05, seconds: 30 };

  it('saves the difference to the goal runs', () => {
    expect(savings({ baseline }, [])).toEqual([
      { mechanism: 'compile', count: 1, tokens: 9000, usd: 0.05, seconds: 26 },
    ]);
  });

  it('saves less than nothing if it costs more', () => {
    const cost = { tokens: 10_000, usd: 0.0625, seconds: 40 };
    expect(savings({ baseline, cost }, [])).toEqual([
      { mechanism: 'compile', count: 1, tokens: -1000, usd: 0.05 - 0.0625, seconds: -10 },
    ]);
  });

  it.each([
    ['the baseline', { baseline: { ...baseline, usd: null } }],
    ['the run', { baseline, cost: { tokens: 1, usd: null, seconds: 1 } }],
  ])('saves an unknown amount of money if the price of %s is not known', (_, run) => {
    expect(savings(run, [])).toMatchObject([{ usd: null }]);
  });

  it('does not count what the action cache saved', () => {
    const events = [turn(1, { tokens: 2000, usd: 0.01, durationMs: 1000 })];
    expect(savings({ baseline }, events)).toMatchObject([
      { mechanism: 'action_cache', tokens: 2000 },
      { mechanism: 'compile', tokens: 7000, usd: 0.05 - 0.01, seconds: 25 },
    ]);
  });

  test('that verifies a proposal saves nothing', () => {
    expect(measureRun(aRun({ baseline, isVerification: true }), [turn(1)])).toEqual({ savings: [], goal: null });
  });
});

describe('a healed step', () => {
  it('saves the part of the run before it, minus the repairs', () => {
    const eventsBefore = [completed(2000), modelCall(800, 0.25), completed(5000), modelCall(300, 0.125, 'heal-text')];
    expect(savings({}, [...eventsBefore, healed(), completed(1000), healed(), modelCall(500, 9)])).toEqual([
      { mechanism: 'heal', count: 2, tokens: 500, usd: 0.125, seconds: 5.5 },
    ]);
  });

  it('costs tokens if the steps before it used no model', () => {
    expect(savings({}, [completed(3000), modelCall(300, null, 'heal-vision'), healed('vision-model')])).toEqual([
      { mechanism: 'heal', count: 1, tokens: -300, usd: null, seconds: 1.5 },
    ]);
  });

  it('does not count if a person pointed at the element', () => {
    expect(savings({}, [completed(3000), healed('human')])).toEqual([]);
  });
});

describe('the goal of a run', () => {
  it('has the first site that the agent saw, and its number of actions', () => {
    const action: Event = { type: 'agent.action_started', data: ref };
    const { goal } = measureRun(aRun(), [turn(1, undefined, 'about:blank'), turn(2), action, action]);
    expect(goal).toMatchObject({ site: 'shop.test', goal: 'Pay {{inputs.amount}}', actionCount: 2 });
    expect(goal?.intent).toContain('pay #');
  });

  it.each([
    ['no goal', { name: 'x', steps: [{ action: 'screenshot' }] }],
    ['an unreadable definition', null],
  ])('is missing with %s', (_, definition) => {
    expect(measureRun(aRun({ definition: definition as MeasuredRun['definition'] }), [turn(1)]).goal).toBeNull();
  });
});
