/**
 * Duration of `decide()` for a fleet of a thousand workers in several states. The reference is the parsing of as many
 * pods (`JSON.parse`), which every controller has to do first. No equivalent program exists, so the target is absolute.
 */
import { decideScaling } from '@pilothouse/core/scaling/scaling-decision';
import { defaultTuning, type FleetObservation, type ScalingWorker } from '@pilothouse/core/scaling/scaling-observation';
import { recordedPods } from '../../libs/infra/kube/src/testing/recorded-pods.ts';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { percentile, round } from '../harness/statistics.ts';

const WORKERS = 1_000;
const NOW = 1_800_000_000_000;
const OLD = NOW - 3_600_000;

/** Target in milliseconds. */
const LIMIT_MS = 100;

const config = { minWorkers: 0, maxWorkers: WORKERS, idleSlots: 0, slots: 1, cooldownSeconds: 60, paused: false };

function fleetOf(worker: (index: number) => Partial<ScalingWorker>, waiting: number): FleetObservation {
  const workers = Array.from({ length: WORKERS }, (_, index): ScalingWorker => ({
    // Unsorted, like uids.
    name: `browser-${((index * 7_919) % WORKERS).toString(36).padStart(4, '0')}`,
    state: 'ready',
    slots: 1,
    busy: 0,
    idleSince: OLD + ((index * 104_729) % 1_000_000),
    startedAt: OLD,
    stateSince: null,
    managed: true,
    template: 'new',
    ...worker(index),
  }));
  return { config, waiting, workers, template: 'new' };
}

/** Observations by name, each at maximum size. */
const observations: Readonly<Record<string, FleetObservation>> = {
  'all pending, as many runs wait': fleetOf(
    () => ({ state: 'starting', startedAt: NOW - 5_000, idleSince: null }),
    WORKERS,
  ),
  'all overdue': fleetOf(() => ({ state: 'starting', startedAt: OLD, idleSince: null, template: 'old' }), WORKERS),
  'all idle for long': fleetOf(() => ({}), 0),
  'all idle, of an old template': fleetOf(() => ({ template: 'old' }), 0),
  'half of them busy': fleetOf((index) => (index % 2 ? { busy: 1, idleSince: null } : {}), WORKERS),
};

/** Pod list of the API server, with a shortened spec of the chart. */
const podList = JSON.stringify({
  items: Array.from({ length: WORKERS }, (_, index) => ({
    metadata: {
      name: `browser-${index}`,
      uid: `b7a1c9a0-4f7e-4d8e-9a53-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: '2026-11-21T10:58:41Z',
      labels: {
        'app.kubernetes.io/name': 'pilothouse',
        'app.kubernetes.io/component': 'worker',
        'pilothouse.dev/fleet': 'browser',
      },
      annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
    },
    spec: {
      containers: [
        {
          name: 'worker',
          image: 'pilothouse/worker-browser:0.2.0',
          resources: { requests: { cpu: '100', memory: '1Gi' } },
        },
      ],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: recordedPods.unschedulable,
  })),
});

/** Milliseconds of each warm call. */
function timesOf(work: () => unknown, calls: number): number[] {
  return Array.from({ length: calls + 20 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  }).slice(20);
}

export const scalingDecision: Bench = (options) => {
  const calls = forSize(options, { smoke: 5, short: 200, full: 1_000 });
  const readMs = percentile(
    timesOf(() => JSON.parse(podList), calls),
    0.5,
  );
  const cases = Object.entries(observations).map(([name, observation]) => {
    const times = timesOf(() => decideScaling(observation, NOW, undefined, defaultTuning), calls);
    return { name, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  });
  const slowest = cases.toSorted((a, b) => b.p50 - a.p50)[0];
  return Promise.resolve({
    figures: [
      atMost(
        'decide() about 1,000 workers, p99 of the slowest case',
        round(Math.max(...cases.map(({ p99 }) => p99))),
        LIMIT_MS,
        'ms',
      ),
      plain('against reading the list of as many pods', round((slowest?.p50 ?? NaN) / readMs), '×'),
      ...cases.map(({ name, p50 }) => plain(name, round(p50), 'ms')),
    ],
    raw: { workers: WORKERS, calls, readMs, cases },
  });
};
