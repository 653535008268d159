import { createMetrics } from './metric-factory.ts';

const spec = {
  name: 'step_seconds',
  help: 'Time of a "step" \\ of a run\nby kind',
  labels: { fleet: { maxValues: 2 }, kind: ['a', 'b'] },
  buckets: [0.1, 1],
} as const;

const linesOf = (body: string) => body.split('\n').filter((line) => line.includes('p_step_seconds'));

test('counts of other processes are summed by labels and exported as a histogram', async () => {
  const metrics = createMetrics({ prefix: 'p' });
  const steps = metrics.mergedHistogram(spec);
  steps.merge([1, 2, 3], 10.5, { fleet: 'x', kind: 'a' });
  steps.merge([0, 1, 0], 0.5, { fleet: 'x', kind: 'a' });
  steps.merge([1, 0, 0], 0.05, { fleet: 'q"uote', kind: 'b' });
  expect(linesOf((await metrics.read()).body)).toEqual([
    '# HELP p_step_seconds Time of a "step" \\\\ of a run\\nby kind',
    '# TYPE p_step_seconds histogram',
    'p_step_seconds_bucket{le="0.1",fleet="x",kind="a"} 1',
    'p_step_seconds_bucket{le="1",fleet="x",kind="a"} 4',
    'p_step_seconds_bucket{le="+Inf",fleet="x",kind="a"} 7',
    'p_step_seconds_sum{fleet="x",kind="a"} 11',
    'p_step_seconds_count{fleet="x",kind="a"} 7',
    'p_step_seconds_bucket{le="0.1",fleet="q\\"uote",kind="b"} 1',
    'p_step_seconds_bucket{le="1",fleet="q\\"uote",kind="b"} 1',
    'p_step_seconds_bucket{le="+Inf",fleet="q\\"uote",kind="b"} 1',
    'p_step_seconds_sum{fleet="q\\"uote",kind="b"} 0.05',
    'p_step_seconds_count{fleet="q\\"uote",kind="b"} 1',
  ]);
});

test('its labels have the same limits, and its name is unique', async () => {
  const metrics = createMetrics({ prefix: 'p' });
  const steps = metrics.mergedHistogram(spec);
  for (let n = 0; n < 100; n += 1) steps.merge([1, 0, 0], 0, { fleet: `f${n}`, kind: 'a' });
  const counts = linesOf((await metrics.read()).body).filter((line) => line.includes('_count'));
  expect(counts).toEqual([
    'p_step_seconds_count{fleet="f0",kind="a"} 1',
    'p_step_seconds_count{fleet="f1",kind="a"} 1',
    'p_step_seconds_count{fleet="other",kind="a"} 98',
  ]);
  expect(() => metrics.mergedHistogram(spec)).toThrow('declared twice');
  expect(() => steps.merge([1], 0, { fleet: 'f0', kind: 'a' })).toThrow('2 buckets');
});
