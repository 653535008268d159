import { FleetMetrics } from './fleet.metrics.ts';

test('a former leader resets its gauges and keeps its counters', async () => {
  const metrics = new FleetMetrics();
  const exposition = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.includes('fleet="browser"'));
  const worker = { slots: 2, busy: 1, state: 'ready' as const };
  metrics.setLeader(true);
  metrics.onObservation('browser', { waiting: 3, workers: [worker] } as never, { reason: 'at-max', count: 2 });
  metrics.onConditions('browser', ['Unschedulable']);
  metrics.onFailure('browser', 'Unschedulable');
  expect(await exposition()).toEqual(
    expect.arrayContaining([
      'pilothouse_fleet_queued_runs{fleet="browser"} 3',
      'pilothouse_fleet_workers{fleet="browser",state="ready"} 1',
      'pilothouse_fleet_condition{fleet="browser",reason="Unschedulable"} 1',
    ]),
  );
  metrics.setLeader(false);
  expect(await exposition()).toEqual(['pilothouse_fleet_failures_total{fleet="browser",reason="Unschedulable"} 1']);
});
