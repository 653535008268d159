import { FleetMetrics } from './fleet.metrics.ts';

test('who no longer leads shows nothing of what it saw, and keeps what it counted', async () => {
  const metrics = new FleetMetrics();
  const shown = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.includes('fleet="browser"'));
  const worker = { slots: 2, busy: 1, state: 'ready' as const };
  metrics.setLeader(true);
  metrics.observed('browser', { waiting: 3, workers: [worker] } as never, { reason: 'at-max', count: 2 });
  metrics.conditions('browser', ['Unschedulable']);
  metrics.failed('browser', 'Unschedulable');
  expect(await shown()).toEqual(
    expect.arrayContaining([
      'pilothouse_fleet_queued_runs{fleet="browser"} 3',
      'pilothouse_fleet_workers{fleet="browser",state="ready"} 1',
      'pilothouse_fleet_condition{fleet="browser",reason="Unschedulable"} 1',
    ]),
  );
  metrics.setLeader(false);
  expect(await shown()).toEqual(['pilothouse_fleet_failures_total{fleet="browser",reason="Unschedulable"} 1']);
});
