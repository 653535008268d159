import { createMetrics } from './metric-factory.ts';

const lineOf = (body: string, start: string) => body.split('\n').filter((line) => line.startsWith(start));

test('metrics are read in the text format, under the prefix, with help and type', async () => {
  const metrics = createMetrics({ prefix: 'pilothouse' });
  const endedRuns = metrics.counter({
    name: 'runs_ended_total',
    help: 'Runs that ended, by status',
    labels: { status: ['completed', 'failed'] },
  });
  endedRuns.inc({ status: 'completed' });
  endedRuns.add(2, { status: 'completed' });
  const { contentType, body } = await metrics.read();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(lineOf(body, '# HELP pilothouse_runs_ended_total')).toEqual([
    '# HELP pilothouse_runs_ended_total Runs that ended, by status',
  ]);
  expect(lineOf(body, '# TYPE pilothouse_runs_ended_total')).toEqual(['# TYPE pilothouse_runs_ended_total counter']);
  // A status that never came up is there too, at nought.
  expect(lineOf(body, 'pilothouse_runs_ended_total')).toEqual([
    'pilothouse_runs_ended_total{status="completed"} 3',
    'pilothouse_runs_ended_total{status="failed"} 0',
  ]);
});

test('process and Node metrics have their default names', async () => {
  const { body } = await createMetrics({ prefix: 'pilothouse' }).read();
  expect(lineOf(body, 'process_cpu_seconds_total')).toHaveLength(1);
  expect(lineOf(body, 'nodejs_eventloop_lag_seconds')).toHaveLength(1);
});

test('a label has at most its maximum number of values; further values are merged', async () => {
  const metrics = createMetrics({ prefix: 'p' });
  const waiting = metrics.gauge({ name: 'waiting_runs', help: 'Runs that wait', labels: { fleet: { maxValues: 3 } } });
  for (let n = 0; n < 1000; n++) waiting.set(n, { fleet: `fleet-${n}` });
  const kind = metrics.counter({ name: 'kinds_total', help: 'Kinds', labels: { kind: ['a'] } });
  const anyKind: string = 'surprise';
  kind.inc({ kind: anyKind as 'a' });
  const { body } = await metrics.read();
  expect(lineOf(body, 'p_waiting_runs')).toEqual([
    'p_waiting_runs{fleet="fleet-0"} 0',
    'p_waiting_runs{fleet="fleet-1"} 1',
    'p_waiting_runs{fleet="fleet-2"} 2',
    'p_waiting_runs{fleet="other"} 999',
  ]);
  expect(lineOf(body, 'p_kinds_total{kind="other"}')).toEqual(['p_kinds_total{kind="other"} 1']);
});

test('a gauge is collected on each read, without values of earlier reads', async () => {
  const workers = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  const metrics = createMetrics({ prefix: 'p' });
  metrics.gauge({
    name: 'workers',
    help: 'Workers by fleet',
    labels: { fleet: { maxValues: 10 } },
    collect: (gauge) => workers.forEach((count, fleet) => gauge.set(count, { fleet })),
  });
  expect(lineOf((await metrics.read()).body, 'p_workers')).toEqual([
    'p_workers{fleet="a"} 1',
    'p_workers{fleet="b"} 2',
  ]);
  workers.delete('b');
  expect(lineOf((await metrics.read()).body, 'p_workers')).toEqual(['p_workers{fleet="a"} 1']);
});

test('a histogram counts values in its buckets', async () => {
  const metrics = createMetrics({ prefix: 'p' });
  const appendDuration = metrics.histogram({
    name: 'append_duration_seconds',
    help: 'Time of an append',
    buckets: [0.01, 0.1],
  });
  for (const seconds of [0.005, 0.05, 5]) appendDuration.observe(seconds);
  expect(lineOf((await metrics.read()).body, 'p_append_duration_seconds')).toEqual([
    'p_append_duration_seconds_bucket{le="0.01"} 1',
    'p_append_duration_seconds_bucket{le="0.1"} 2',
    'p_append_duration_seconds_bucket{le="+Inf"} 3',
    'p_append_duration_seconds_sum 5.055',
    'p_append_duration_seconds_count 3',
  ]);
});

test.each([
  ['counter', 'runs_ended', 'does not end like a counter'],
  ['gauge', 'runs_total', 'does not end like a gauge'],
  ['gauge', 'run_count', 'does not end like a gauge'],
  ['histogram', 'append_duration', 'does not end like a histogram'],
  ['histogram', 'append_duration_ms', 'base unit'],
  ['gauge', 'memory_mb', 'base unit'],
  ['counter', 'runsEnded_total', 'snake case'],
] as const)('a %s named %s is refused when it is declared', (kind, name, expected) => {
  const metrics = createMetrics({ prefix: 'p' });
  expect(() => metrics[kind]({ name, help: 'x', buckets: [1] })).toThrow(expected);
  expect(() => metrics.counter({ name: 'a_total', help: ' ' })).toThrow('no help');
});

test('names of Node metrics follow the naming rules, too', async () => {
  const { body } = await createMetrics({ prefix: 'p' }).read();
  for (const [, name, type] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    expect(`${name} ${name?.endsWith('_total')}`).toBe(`${name} ${type === 'counter'}`);
  }
});
