import { metricDeltasSchema, type MetricDeltas } from '@pilothouse/contract/worker/worker-metrics.schema';
import { MetricsBuffer } from './metrics-buffer.ts';

/** Content of a flush; null when it sends nothing. */
function flush(metrics: MetricsBuffer, isAccepted = true): MetricDeltas | null {
  let flushed: MetricDeltas | null = null;
  metrics.flush((deltas) => {
    flushed = metricDeltasSchema.parse(structuredClone(deltas));
    return isAccepted;
  });
  return flushed;
}

const step = { action: 'click', tier: 'replay', result: 'completed' } as const;

test('counts and observations are sent once, by series', () => {
  const metrics = new MetricsBuffer();
  metrics.count('worker_step_failures_total', { code: 'TARGET_NOT_FOUND' });
  metrics.count('worker_step_failures_total', { code: 'TARGET_NOT_FOUND' }, 2);
  for (const ms of [4, 10, 90, 61_000]) metrics.observe('worker_step_seconds', step, ms);
  metrics.observe('worker_step_seconds', { result: 'failed', tier: 'replay', action: 'click' }, -1);
  expect(flush(metrics)).toEqual({
    counters: [{ name: 'worker_step_failures_total', labels: { code: 'TARGET_NOT_FOUND' }, add: 3 }],
    histograms: [
      { name: 'worker_step_seconds', labels: step, counts: [2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1], sum: 61.104 },
      {
        name: 'worker_step_seconds',
        labels: { action: 'click', tier: 'replay', result: 'failed' },
        counts: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        sum: 0,
      },
    ],
    gauges: [],
  });
  expect(flush(metrics)).toBeNull();
});

test('unsent measurements are sent with the next ones', () => {
  const metrics = new MetricsBuffer();
  metrics.count('worker_browsers_replaced_total', { reason: 'gone' });
  expect(flush(metrics, false)?.counters).toHaveLength(1);
  metrics.count('worker_browsers_replaced_total', { reason: 'gone' });
  expect(flush(metrics)?.counters).toEqual([
    { name: 'worker_browsers_replaced_total', labels: { reason: 'gone' }, add: 2 },
  ]);
});

test('a gauge is sent when it changes, and again to a new gateway', () => {
  const metrics = new MetricsBuffer();
  metrics.add('worker_surfaces_open', 1);
  const gauge = [{ name: 'worker_surfaces_open', labels: {}, value: 1 }];
  expect(flush(metrics)?.gauges).toEqual(gauge);
  metrics.add('worker_surfaces_open', 1);
  metrics.add('worker_surfaces_open', -1);
  expect(flush(metrics)).toBeNull();
  metrics.resendGauges();
  expect(flush(metrics)?.gauges).toEqual(gauge);
});
