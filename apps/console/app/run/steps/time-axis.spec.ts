import { createStepState, type RunArtifact, type RunState, type StepState } from '../run-state.ts';
import { timeScaleOf } from './time-scale.ts';
import { frameAt, framesOf, placeFrames, stepAt, stepBarsOf, tickLabel, ticksOf, timeRangeOf } from './time-axis.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const timeAt = (ms: number) => new Date(START + ms).toISOString();
const step = (index: number, start: number | null, end: number | null, fields: Partial<StepState> = {}): StepState => ({
  ...createStepState(index),
  status: end === null ? 'running' : 'completed',
  startedAt: start === null ? null : timeAt(start),
  finishedAt: end === null ? null : timeAt(end),
  ...fields,
});
const screenshot = (id: string, step: number, ms: number, moment: RunArtifact['moment']): RunArtifact => ({
  id,
  step,
  kind: 'screenshot',
  moment,
  name: `${id}.jpg`,
  contentType: 'image/jpeg',
  size: 1,
  createdAt: timeAt(ms),
});
const scale = (ms: number, waits: RunState['waits'] = []) => timeScaleOf({ waits }, { start: START, end: START + ms });
const run = (fields: Partial<RunState>) =>
  ({ startedAt: timeAt(0), finishedAt: null, steps: [], artifacts: [], ...fields }) as unknown as RunState;

describe('the time axis', () => {
  test('does not exist before the first step', () => {
    expect(timeRangeOf(run({ steps: [step(0, null, null)] }), START)).toBeNull();
  });

  test('spans the time from the start of the run to its end, or to now', () => {
    const steps = [step(0, 500, 1_000), step(1, 1_000, null)];
    expect(timeRangeOf(run({ steps }), null)).toEqual({ start: START, end: START + 1_000 });
    expect(timeRangeOf(run({ steps }), START + 9_000)).toEqual({ start: START, end: START + 9_000 });
    expect(timeRangeOf(run({ steps, finishedAt: timeAt(4_000) }), null)).toEqual({ start: START, end: START + 4_000 });
    // The clock of the viewer is behind.
    expect(timeRangeOf(run({ steps }), START - 60_000)).toEqual({ start: START, end: START + 1_000 });
  });

  test('has a bar for each started step; a step without an end reaches to the next one', () => {
    const steps = [step(0, 0, 2_000), step(1, 2_000, null), step(2, 5_000, null), step(3, null, null)];
    const bars = stepBarsOf(steps, scale(10_000));
    expect(bars.map((bar) => [bar.step.index, bar.left, bar.width])).toEqual([
      [0, 0, 0.2],
      [1, 0.2, 0.3],
      [2, 0.5, 0.5],
    ]);
  });

  test('merges bars that would overlap, and keeps a failed step visible', () => {
    const steps = Array.from({ length: 5_000 }, (_, index) =>
      step(index, index, index + 1, index === 2_503 ? { status: 'failed' } : {}),
    );
    const bars = stepBarsOf(steps, scale(5_000));
    expect(bars.length).toBeLessThan(600);
    expect(bars.filter((bar) => bar.step.status === 'failed')).toHaveLength(1);
  });

  test('finds the step at a time', () => {
    const steps = [step(0, 1_000, 2_000), step(1, 3_000, 4_000)];
    expect([0, 1_500, 2_500, 9_000].map((ms) => stepAt(steps, START + ms)?.index)).toEqual([0, 0, 0, 1]);
    expect(stepAt([], START)).toBeUndefined();
  });

  test.each([
    [850, 8, [0, 200, 400, 600, 800]],
    [12_000, 5, [0, 5_000, 10_000]],
    [1, 5, [0]],
    [400_000_000, 4, [0, 172_800_000, 345_600_000]],
  ])('%i ms with at most %i labels', (ms, max, expected) => {
    expect(ticksOf(scale(ms), max).ticks.map((tick) => tick.ms)).toEqual(expected);
  });

  test('has no labels inside of a compressed wait', () => {
    const waits = [{ kind: 'awaiting_user' as const, startedAt: timeAt(4_000), endedAt: timeAt(3_604_000) }];
    const { ticks } = ticksOf(scale(3_608_000, waits), 8);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 2_000, 4_000, 3_606_000, 3_608_000]);
    expect(ticks.map(({ left }) => left)).toEqual([...ticks.map(({ left }) => left)].sort((a, b) => a - b));
  });

  test.each([
    [500, '0.5 s', 500],
    [65_000, '1:05', 5_000],
    [7_200_000, '2:00:00', 3_600_000],
  ])('%i ms is labeled %s', (ms, label, tick) => {
    expect(tickLabel(ms, tick)).toBe(label);
  });
});

describe('frames', () => {
  const steps = [step(0, 0, 2_000), step(1, 2_000, 6_000)];

  test('are placed at the time of their step, not of their upload', () => {
    const artifacts = [
      screenshot('after-0', 0, 2_700, 'after'),
      screenshot('before-1', 1, 2_600, 'before'),
      screenshot('during-1', 1, 3_000, 'during'),
    ];
    const frames = framesOf({ steps, artifacts: [...artifacts, { ...artifacts[0], kind: 'video' } as RunArtifact] });
    expect(frames.map(({ artifact, timeMs: ms }) => [artifact.id, ms - START])).toEqual([
      ['after-0', 2_000],
      ['before-1', 2_000],
      ['during-1', 3_000],
    ]);
  });

  test('the frame of a step is its nearest one, or the last one before the time', () => {
    const frames = framesOf({
      steps,
      artifacts: [screenshot('a', 0, 0, 'before'), screenshot('b', 0, 2_000, 'after')],
    });
    expect(frameAt(frames, 0, START + 100)?.artifact.id).toBe('a');
    expect(frameAt(frames, 0, START + 1_900)?.artifact.id).toBe('b');
    expect(frameAt(frames, 1, START + 4_000)?.artifact.id).toBe('b');
    expect(frameAt([], 1, START)).toBeUndefined();
  });

  const frame = (ms: number) => ({ artifact: screenshot(`f${ms}`, 0, ms, 'during'), timeMs: START + ms });
  const range = scale(10_000);

  test('a few frames are centered at their times, inside the axis', () => {
    expect(placeFrames([frame(0), frame(5_000), frame(10_000)], range, 1_000, 100).map(({ left }) => left)).toEqual([
      0, 450, 900,
    ]);
  });

  test('frames that would overlap are moved apart', () => {
    expect(placeFrames([frame(9_800), frame(9_900), frame(10_000)], range, 1_000, 100).map(({ left }) => left)).toEqual(
      [700, 800, 900],
    );
  });

  test('if not all frames fit, evenly spaced ones are shown, with the first and the last', () => {
    const many = Array.from({ length: 100 }, (_, index) => frame(index * 100));
    const shown = placeFrames(many, range, 1_000, 100).map(({ frame: { artifact } }) => artifact.id);
    expect(shown).toHaveLength(10);
    expect([shown[0], shown.at(-1)]).toEqual(['f0', 'f9900']);
  });
});
