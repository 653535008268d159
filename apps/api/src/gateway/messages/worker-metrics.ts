import {
  workerMetrics,
  type FromWorkerOf,
  type MetricDeltas,
  type WorkerMetric,
  type WorkerMetricOf,
} from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import type { Metrics } from '@pilothouse/infra-telemetry';
import type { OnOutOfMemory } from '../../metrics/oom-condition.ts';
import { FLEET_LABEL } from '../../metrics/fleet-label.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** Milliseconds between two reports of a worker. */
export const REPORT_EVERY_MS = 5_000;

/** Reports that a worker may be ahead of its turn: one at its good-bye, and what waited in a slow network. */
const MOST_AHEAD = 3;

const rejectionReasons = ['unknown', 'labels', 'buckets', 'too_often'] as const;

type Peer = Pick<WorkerSocket, 'fleet' | 'closed' | 'workerName' | 'slots' | 'held' | 'isUnschedulable'>;
type GaugeName = WorkerMetricOf<'gauge'>;

/** What is known of one worker that is connected. */
interface Reporter {
  readonly gauges: Map<GaugeName, number>;
  /** Monotonic milliseconds until which reports are taken in advance. */
  paidUntil: number;
}

type Adder = (labels: Record<string, string>, delta: { counts: readonly number[]; sum: number } | number) => void;

const catalogue = Object.entries(workerMetrics) as [keyof typeof workerMetrics, WorkerMetric][];

/**
 * The workers of this replica as metrics, by fleet: what they send is added up, what they hold is summed over those that are here. A worker is
 * not trusted: only names and labels of the catalogue count, so it can tell lies about its own fleet but make no series of its own.
 */
export class WorkerMetrics {
  private readonly log: Log;
  private readonly onKilled: OnOutOfMemory | undefined;
  private readonly reporters = new Map<Peer, Reporter>();
  /** Fleets that had a worker here: their figures go to nought, not away. */
  private readonly fleets = new Set<string>();
  private readonly adders: ReadonlyMap<string, Adder>;
  private readonly reports;
  private readonly rejected;

  constructor(metrics: Metrics, log: Log, onKilled?: OnOutOfMemory) {
    this.log = log;
    this.onKilled = onKilled;
    this.adders = new Map(catalogue.flatMap(([name, spec]) => this.declare(metrics, name, spec)));
    this.reports = metrics.counter({
      name: 'worker_metric_reports_total',
      help: 'Accepted metric reports of workers',
      labels: { fleet: FLEET_LABEL },
    });
    this.rejected = metrics.counter({
      name: 'worker_metrics_rejected_total',
      help: 'Rejected metrics of workers by reason',
      labels: { fleet: FLEET_LABEL, reason: rejectionReasons },
    });
    metrics.gauge({
      name: 'gateway_connections',
      help: 'Workers connected to this replica',
      labels: { fleet: FLEET_LABEL },
      collect: (gauge) => this.sum(() => 1).forEach((value, fleet) => gauge.set(value, { fleet })),
    });
    metrics.gauge({
      name: 'gateway_slots',
      help: 'Slots of the workers connected to this replica, by use. unschedulable: free slots of workers that drain or are cordoned',
      labels: { fleet: FLEET_LABEL, use: ['busy', 'free', 'unschedulable'] },
      collect: (gauge) => {
        const free = ({ slots, held }: Peer) => Math.max(0, slots - held.size);
        const uses = {
          busy: this.sum(({ held }) => held.size),
          free: this.sum((peer) => (peer.isUnschedulable ? 0 : free(peer))),
          unschedulable: this.sum((peer) => (peer.isUnschedulable ? free(peer) : 0)),
        };
        for (const use of ['busy', 'free', 'unschedulable'] as const)
          uses[use].forEach((value, fleet) => gauge.set(value, { fleet, use }));
      },
    });
  }

  /** A worker said hello. It is forgotten, with its gauges, when its socket closes. */
  onConnected(socket: Peer): void {
    if (this.reporters.has(socket) || socket.closed.aborted) return;
    this.reporters.set(socket, { gauges: new Map(), paidUntil: 0 });
    socket.closed.addEventListener('abort', () => this.reporters.delete(socket), { once: true });
    const fleet = socket.fleet.name;
    if (this.fleets.has(fleet)) return;
    this.fleets.add(fleet);
    this.initializeCounters(fleet);
  }

  /** Takes a report. Never throws: what is not understood is counted and dropped. */
  addReport(socket: Peer, { counters, histograms, gauges }: FromWorkerOf<'metrics'> | MetricDeltas): void {
    const reporter = this.reporters.get(socket);
    if (!reporter) return;
    const fleet = socket.fleet.name;
    const now = performance.now();
    reporter.paidUntil = Math.max(now, reporter.paidUntil) + REPORT_EVERY_MS;
    if (reporter.paidUntil - now > (1 + MOST_AHEAD) * REPORT_EVERY_MS) {
      reporter.paidUntil -= REPORT_EVERY_MS;
      return this.rejected.inc({ fleet, reason: 'too_often' });
    }
    this.reports.inc({ fleet });
    for (const { name, labels, add } of counters) {
      if (!this.validate(fleet, 'counter', name, labels)) continue;
      this.adders.get(name)?.({ ...labels, fleet }, add);
      if (name === 'worker_memory_events_total' && labels['event'] === 'oom_kill' && add > 0) this.killed(socket, add);
    }
    for (const { name, labels, counts, sum } of histograms) {
      const spec = this.validate(fleet, 'histogram', name, labels);
      if (!spec) continue;
      if (counts.length === (spec.buckets?.length ?? 0) + 1)
        this.adders.get(name)?.({ ...labels, fleet }, { counts, sum });
      else this.rejected.inc({ fleet, reason: 'buckets' });
    }
    for (const { name, labels, value } of gauges) {
      if (this.validate(fleet, 'gauge', name, labels)) reporter.gauges.set(name as GaugeName, value);
    }
  }

  private declare(metrics: Metrics, name: keyof typeof workerMetrics, spec: WorkerMetric): [string, Adder][] {
    const { kind, help, buckets = [] } = spec;
    const labels = { ...spec.labels, fleet: FLEET_LABEL };
    switch (kind) {
      case 'counter': {
        const counter = metrics.counter<Record<string, typeof FLEET_LABEL | readonly string[]>>({ name, help, labels });
        return [[name, (given, delta) => typeof delta === 'number' && counter.add(delta, given)]];
      }
      case 'histogram': {
        const histogram = metrics.mergedHistogram<Record<string, typeof FLEET_LABEL | readonly string[]>>({
          name,
          help,
          labels,
          buckets,
        });
        return [[name, (given, delta) => typeof delta !== 'number' && histogram.merge(delta.counts, delta.sum, given)]];
      }
      case 'gauge':
        metrics.gauge({
          name,
          help,
          labels: { fleet: FLEET_LABEL },
          collect: (gauge) =>
            this.sum((_, { gauges }) => gauges.get(name as GaugeName) ?? 0).forEach((value, fleet) =>
              gauge.set(value, { fleet }),
            ),
        });
        return [];
    }
  }

  /** Counters of a fleet begin at nought: what appears with its first count is not seen to rise. */
  private initializeCounters(fleet: string): void {
    for (const [name, { kind, labels }] of catalogue) {
      const [[label, values] = [], ...more] = Object.entries(labels);
      if (kind !== 'counter' || label === undefined || values === undefined || more.length > 0) continue;
      // Of error codes there are many; that a step failed is no alarm by itself.
      if (values.length <= 10) for (const value of values) this.adders.get(name)?.({ [label]: value, fleet }, 0);
    }
    for (const reason of rejectionReasons) this.rejected.add(0, { fleet, reason });
    this.reports.add(0, { fleet });
  }

  /** The metric, when the catalogue has one of this kind with these labels. */
  private validate(
    fleet: string,
    kind: WorkerMetric['kind'],
    name: string,
    labels: Readonly<Record<string, string>>,
  ): WorkerMetric | null {
    const spec: WorkerMetric | undefined = Object.hasOwn(workerMetrics, name)
      ? workerMetrics[name as keyof typeof workerMetrics]
      : undefined;
    if (spec?.kind !== kind) {
      this.rejected.inc({ fleet, reason: 'unknown' });
      return null;
    }
    const known = Object.keys(spec.labels);
    if (known.length === Object.keys(labels).length && known.every((label) => Object.hasOwn(labels, label)))
      return spec;
    this.rejected.inc({ fleet, reason: 'labels' });
    return null;
  }

  private sum(of: (peer: Peer, reporter: Reporter) => number): Map<string, number> {
    const sums = new Map([...this.fleets].map((fleet) => [fleet, 0]));
    for (const [peer, reporter] of this.reporters) {
      const { name } = peer.fleet;
      sums.set(name, (sums.get(name) ?? 0) + of(peer, reporter));
    }
    return sums;
  }

  private killed({ fleet, workerName }: Peer, processes: number): void {
    this.onKilled?.(fleet.name, workerName, processes);
    this.log.warn(
      { fleet: fleet.name, worker: workerName, processes },
      'A process of a worker was killed for want of memory: give its fleet more memory, or fewer slots',
    );
  }
}
