import type { EgressEnforcement } from '@pilothouse/contract/worker/from-worker.messages';
import type { MetricDeltas } from '@pilothouse/contract/worker/worker-metrics.schema';
import type { GatewayFleet } from '@pilothouse/infra-db';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { HeldAttempts } from '../socket/held-attempts.ts';
import { REPORT_INTERVAL_MS, WorkerMetrics } from './worker-metrics.ts';

const nothing: MetricDeltas = { counters: [], histograms: [], gauges: [] };
const step = (labels: Record<string, string>, counts: number[], sum = 1): MetricDeltas => ({
  ...nothing,
  histograms: [{ name: 'worker_step_seconds', labels, counts, sum }],
});
const completed = { action: 'click', tier: 'replay', result: 'completed' };
const bucketsOf = (...counts: number[]) => [...counts, ...Array.from({ length: 13 - counts.length }, () => 0)];
const gauge = (value: number): MetricDeltas => ({
  ...nothing,
  gauges: [{ name: 'worker_surfaces_open', labels: {}, value }],
});

describe('metrics of workers', () => {
  const world = () => {
    const metrics = createMetrics({ prefix: 'p' });
    const log = memoryLog();
    const unenforced: string[] = [];
    const external: string[] = [];
    const workers = new WorkerMetrics(metrics, log, {
      onUnenforcedEgress: (...worker) => unenforced.push(worker.join(' ')),
      onExternalWorker: (...worker) => external.push(worker.join(' ')),
    });
    const join = (fleet: string, slots = 2, egressEnforcement?: EgressEnforcement, isExternal = false) => {
      const closing = new AbortController();
      const session = {
        fleet: { id: fleet, name: fleet } as GatewayFleet,
        socket: { closed: closing.signal },
        workerName: `${fleet}-1`,
        slots,
        attempts: new HeldAttempts(),
        isUnschedulable: false,
        egressEnforcement,
        isExternal,
      };
      workers.onConnected(session);
      return {
        session,
        disconnect: () => closing.abort(),
        report: (deltas: MetricDeltas) => workers.addReport(session, deltas),
      };
    };
    const figures = async () => {
      const lines = (await metrics.read()).body.split('\n').filter((line) => /^p_(worker|gateway)/.test(line));
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
    };
    return { join, figures, log, unenforced, external };
  };

  test('count workers that no controller started, and report them again with each report', async () => {
    const { join, figures, external } = world();
    const stranger = join('x', 1, undefined, true);
    join('x');
    join('y');
    stranger.report(nothing);
    expect(external).toEqual(['x x-1', 'x x-1']);
    const countOf = async (fleet: string) => (await figures()).get(`p_gateway_external_workers{fleet="${fleet}"}`);
    expect([await countOf('x'), await countOf('y')]).toEqual([1, 0]);
    stranger.disconnect();
    expect(await countOf('x')).toBe(0);
  });

  test('count desktop workers by the enforcement of their egress rules, and report those that do not enforce them', async () => {
    const { join, figures, unenforced } = world();
    const settings = join('x', 1, 'settings');
    join('x', 1, 'network');
    join('y', 1, 'network');
    join('z');
    expect(unenforced).toEqual(['x x-1']);
    settings.report(nothing);
    expect(unenforced).toEqual(['x x-1', 'x x-1']);
    const countOf = async (fleet: string) => {
      const now = await figures();
      return ['network', 'settings'].map((mode) =>
        now.get(`p_gateway_egress_enforcement{fleet="${fleet}",mode="${mode}"}`),
      );
    };
    expect([await countOf('x'), await countOf('y'), await countOf('z')]).toEqual([
      [1, 1],
      [1, 0],
      [undefined, undefined],
    ]);
    settings.disconnect();
    expect(await countOf('x')).toEqual([1, 0]);
  });

  test('are added up by fleet; gauges disappear with the worker', async () => {
    const { join, figures } = world();
    const [a, b, c] = [join('x'), join('x', 3), join('y')];
    a.report(step(completed, bucketsOf(1, 2)));
    b.report(step(completed, bucketsOf(0, 1), 0.5));
    c.report(step(completed, bucketsOf(1)));
    a.report(gauge(1));
    b.report(gauge(3));
    a.report(gauge(2));
    const now = await figures();
    const figureOf = (name: string, fleet: string) =>
      now.get(`p_${name}{action="click",tier="replay",result="completed",fleet="${fleet}"}`);
    expect([figureOf('worker_step_seconds_count', 'x'), figureOf('worker_step_seconds_sum', 'x')]).toEqual([4, 1.5]);
    expect(figureOf('worker_step_seconds_count', 'y')).toBe(1);
    expect(now.get('p_worker_surfaces_open{fleet="x"}')).toBe(5);
    expect(now.get('p_gateway_connections{fleet="x"}')).toBe(2);
    expect(now.get('p_gateway_slots{fleet="x",use="free"}')).toBe(5);
    b.disconnect();
    a.session.isUnschedulable = true;
    const later = await figures();
    expect(later.get('p_worker_surfaces_open{fleet="x"}')).toBe(2);
    expect(later.get('p_gateway_connections{fleet="x"}')).toBe(1);
    expect(later.get('p_gateway_slots{fleet="x",use="free"}')).toBe(0);
    expect(later.get('p_gateway_slots{fleet="x",use="unschedulable"}')).toBe(2);
    a.disconnect();
    // A fleet whose last worker left reports zero, unlike an unknown fleet.
    expect((await figures()).get('p_gateway_connections{fleet="x"}')).toBe(0);
  });

  test('report a killed renderer, from zero', async () => {
    const { join, figures, log } = world();
    const worker = join('x');
    const series = 'p_worker_memory_events_total{event="oom_kill",fleet="x"}';
    expect((await figures()).get(series)).toBe(0);
    worker.report({
      ...nothing,
      counters: [{ name: 'worker_memory_events_total', labels: { event: 'oom_kill' }, add: 2 }],
    });
    expect((await figures()).get(series)).toBe(2);
    expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { facts: { fleet: 'x', worker: 'x-1', processes: 2 } },
    ]);
  });

  test('of a hostile worker create a bounded number of series', async () => {
    const { join, figures } = world();
    const previousSize = (await figures()).size;
    for (let worker = 0; worker < 20; worker += 1) {
      const hostile = join('x');
      const counters: { name: string; labels: Record<string, string>; add: number }[] = [
        { name: `made_up_${worker}_total`, labels: {}, add: 1 },
        { name: '__proto__', labels: {}, add: 1 },
        { name: 'worker_step_failures_total', labels: { code: `CODE_${worker}` }, add: 1 },
        { name: 'worker_step_failures_total', labels: { code: 'INTERNAL', fleet: `f${worker}` }, add: 1 },
        { name: 'worker_step_failures_total', labels: { [`label${worker}`]: 'INTERNAL' }, add: 1 },
        { name: 'worker_surfaces_open', labels: {}, add: 1 },
      ];
      const histograms = [
        { name: 'worker_step_seconds', labels: { ...completed, action: `a${worker}` }, counts: bucketsOf(1), sum: 1 },
        { name: 'worker_step_seconds', labels: completed, counts: [1], sum: 1 },
      ];
      hostile.report({ counters, histograms, gauges: [{ name: `gauge_${worker}`, labels: {}, value: 1 }] });
    }
    const finalFigures = await figures();
    const dropped = (reason: string) =>
      finalFigures.get(`p_worker_metrics_rejected_total{fleet="x",reason="${reason}"}`);
    expect([dropped('unknown'), dropped('labels'), dropped('buckets')]).toEqual([80, 40, 20]);
    expect(finalFigures.get('p_worker_step_failures_total{code="other",fleet="x"}')).toBe(20);
    // One more fleet, and the "other" series of metrics with labels.
    const invalidNames = [...finalFigures.keys()].filter((name) =>
      /CODE_|made_up|label\d|action="a\d|fleet="f\d|gauge_/.test(name),
    );
    expect(invalidNames).toEqual([]);
    expect(finalFigures.size - previousSize).toBeLessThan(50);
  });

  test('are accepted no more often than requested', async () => {
    const { join, figures } = world();
    const worker = join('x');
    for (let report = 0; report < 100; report += 1) worker.report(step(completed, bucketsOf(1)));
    const now = await figures();
    expect(now.get('p_worker_metric_reports_total{fleet="x"}')).toBe(4);
    expect(now.get('p_worker_metrics_rejected_total{fleet="x",reason="too_often"}')).toBe(96);
    expect(REPORT_INTERVAL_MS).toBeGreaterThanOrEqual(2_000);
  });

  test('are ignored before the hello, and after the disconnect', async () => {
    const { join, figures } = world();
    const worker = join('x');
    worker.disconnect();
    worker.report(gauge(7));
    const now = await figures();
    expect(now.get('p_worker_surfaces_open{fleet="x"}')).toBe(0);
    expect(now.get('p_worker_metric_reports_total{fleet="x"}')).toBe(0);
  });
});
