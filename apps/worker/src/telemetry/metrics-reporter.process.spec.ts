import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { MetricDeltas } from '@pilothouse/contract/worker/worker-metrics.schema';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';
import type { CgroupMemory } from './cgroup-memory.ts';
import { MemoryMonitor } from './metrics-reporter.ts';
import { MetricsBuffer } from './metrics-buffer.ts';

const open = (name: string) => ({ action: 'navigate' as const, url: `https://portal.test/${name}` });

describe('metric reports of a worker', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let worker: Worker;

  const start = async (host: Pick<NullSurfaceHost, 'open'> = new NullSurfaceHost({})) => {
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host });
    await gateway.until(() => gateway.all('ready').length > 0);
  };
  const reports = () => gateway.all('metrics');
  const counts = (name: string, labels: object = {}) =>
    reports()
      .flatMap(({ histograms }) => histograms)
      .filter(
        (histogram) =>
          histogram.name === name && Object.entries(labels).every(([key, value]) => histogram.labels[key] === value),
      )
      .reduce((sum, histogram) => sum + histogram.counts.reduce((total, count) => total + count, 0), 0);
  const surfacesOpen = () =>
    reports().flatMap(({ gauges }) => gauges.filter(({ name }) => name === 'worker_surfaces_open'));

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-reports-spec-'));
  });

  afterEach(async () => {
    gateway.terminateConnections();
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  test('are sent during work: steps, surfaces, failures', async () => {
    gateway.script.metricsMs = 20;
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await start(
      new NullSurfaceHost({
        beforeAction: (action) => {
          if (action.action === 'click') throw new PilothouseError('TARGET_NOT_FOUND', 'Not there');
          return action.action === 'navigate' && action.url.endsWith('b') ? isReleased : undefined;
        },
      }),
    );
    gateway.assign(buildAssignment({ steps: [open('a'), open('b'), { action: 'click', target: { text: 'x' } }] }));
    await gateway.until(() => surfacesOpen().at(-1)?.value === 1, 'a surface is open');
    release();
    await gateway.until(() => surfacesOpen().at(-1)?.value === 0, 'no surface is open');
    await gateway.until(() => counts('worker_step_seconds', { result: 'failed' }) === 1, 'the failure is reported');
    expect(counts('worker_step_seconds', { action: 'navigate', tier: 'replay', result: 'completed' })).toBe(2);
    expect(counts('worker_step_seconds', { action: 'click', tier: 'replay', result: 'failed' })).toBe(1);
    expect(counts('worker_surface_open_seconds', { result: 'opened' })).toBe(1);
    expect(counts('worker_first_action_seconds', { start: 'cold' })).toBe(1);
    expect(reports().flatMap(({ counters }) => counters)).toContainEqual({
      name: 'worker_step_failures_total',
      labels: { code: 'TARGET_NOT_FOUND' },
      add: 1,
    });
  });

  test('are sent once more before the worker disconnects, however long the interval is', async () => {
    gateway.script.metricsMs = 3_600_000;
    await start();
    const run = buildAssignment({ steps: [open('a')] });
    gateway.assign(run);
    await gateway.until(() => gateway.log.outcome(run) !== undefined);
    expect(reports()).toEqual([]);
    worker.drain({ reason: 'SIGTERM' });
    await worker.completion;
    expect(counts('worker_step_seconds')).toBe(1);
    expect(gateway.received.slice(-2).map(({ type }) => type)).toEqual(['metrics', 'bye']);
  });

  test('are sent only on request, and the next gateway gets unsent ones', async () => {
    await start();
    const run = buildAssignment({ steps: [open('a')] });
    gateway.assign(run);
    await gateway.until(() => gateway.log.outcome(run) !== undefined);
    gateway.script.metricsMs = 20;
    gateway.terminateConnections();
    await gateway.until(() => counts('worker_step_seconds') === 1, 'the report comes over the next connection');
    expect(gateway.connections).toBe(2);
    // The run reports its outcome before its surface is closed.
    await gateway.until(() => surfacesOpen().at(-1)?.value === 0, 'no surface is open');
  });
});

describe('memory metrics of a worker', () => {
  const memory = (events: CgroupMemory['events'], limit: number | null = 1e9): CgroupMemory => ({
    used: 200e6,
    limit,
    events,
  });
  const sentDeltas = (metrics: MetricsBuffer): MetricDeltas => {
    let allDeltas: MetricDeltas = { counters: [], histograms: [], gauges: [] };
    metrics.flush((deltas) => ((allDeltas = deltas), true));
    return allDeltas;
  };

  test('report OOM kills since the start of the worker, once, and log them', () => {
    const facts = [
      memory({ oom_kill: 5, oom: 1 }),
      memory({ oom_kill: 5 }),
      memory({ oom_kill: 7 }),
      memory({ oom_kill: 7 }),
    ];
    const warned: object[] = [];
    const metrics = new MetricsBuffer();
    const log = { ...memoryLog(), warn: (facts: object) => void warned.push(facts) };
    const watch = new MemoryMonitor(metrics, log, () => facts.shift() ?? null);
    watch.sample();
    expect(sentDeltas(metrics).counters).toEqual([]);
    watch.sample();
    expect(sentDeltas(metrics).counters).toEqual([
      { name: 'worker_memory_events_total', labels: { event: 'oom_kill' }, add: 2 },
    ]);
    watch.sample();
    expect(sentDeltas(metrics).counters).toEqual([]);
    expect(warned).toEqual([{ killed: 2, used: 200e6, limit: 1e9 }]);
  });

  test('are reported only if the worker has a memory limit', () => {
    const metrics = new MetricsBuffer();
    new MemoryMonitor(metrics, memoryLog(), () => memory({}, null)).sample();
    expect(sentDeltas(metrics).gauges).toEqual([]);
    new MemoryMonitor(metrics, memoryLog(), () => memory({})).sample();
    expect(sentDeltas(metrics).gauges.map(({ name, value }) => [name, value])).toEqual([
      ['worker_memory_bytes', 201_326_592],
      ['worker_memory_limit_bytes', 1e9],
    ]);
  });
});
