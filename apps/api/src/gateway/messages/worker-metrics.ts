import type { EgressEnforcement, FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import {
  workerMetrics,
  type MetricDeltas,
  type WorkerMetric,
  type WorkerMetricOf,
} from '@pilothouse/contract/worker/worker-metrics.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Metrics } from '@pilothouse/infra-telemetry';
import type { OnOutOfMemory } from '../../metrics/oom-condition.ts';
import { FLEET_LABEL } from '../../metrics/queue.metrics.ts';
import type { OnWorkerCondition } from '../../metrics/worker-conditions.ts';
import type { WorkerSession } from '../socket/worker-session.ts';

/** Milliseconds between two reports of a worker. */
export const REPORT_INTERVAL_MS = 5_000;

/** Reports that a worker may send early: one with its `bye`, and those that a slow network delayed. */
const MAX_EARLY_REPORTS = 3;

const rejectionReasons = ['unknown', 'labels', 'buckets', 'too_often'] as const;

export interface MetricsSource extends Pick<WorkerSession, 'fleet' | 'workerName' | 'slots' | 'isUnschedulable'> {
  readonly attempts: Pick<WorkerSession['attempts'], 'size'>;
  readonly socket: Pick<WorkerSession['socket'], 'closed'>;
  /** Undefined: not a desktop. */
  readonly egressEnforcement?: EgressEnforcement | undefined;
  readonly isExternal?: boolean;
}

/** Called for problems of connected workers. */
export interface WorkerConditionListeners {
  readonly onOutOfMemory?: OnOutOfMemory;
  readonly onUnenforcedEgress?: OnWorkerCondition;
  readonly onExternalWorker?: OnWorkerCondition;
}

const enforcements = ['network', 'settings'] as const satisfies readonly EgressEnforcement[];

type GaugeName = WorkerMetricOf<'gauge'>;

/** Metrics state of one connected worker. */
interface Reporter {
  readonly gauges: Map<GaugeName, number>;
  /** Monotonic milliseconds at which the next report is on time. */
  nextReportDueMs: number;
}

type Adder = (labels: Record<string, string>, delta: { counts: readonly number[]; sum: number } | number) => void;

const catalog = Object.entries(workerMetrics) as [keyof typeof workerMetrics, WorkerMetric][];

/**
 * Metrics of the workers of this replica, by fleet: adds up reported counters, and sums gauges over the connected workers. A worker
 * is not trusted. Only names and labels of the catalog count, so it can falsify the values of its fleet but not create series.
 */
export class WorkerMetrics {
  private readonly log: Log;
  private readonly listeners: WorkerConditionListeners;
  private readonly reporters = new Map<MetricsSource, Reporter>();
  /** Fleets that had a worker here; their gauges drop to zero instead of disappearing. */
  private readonly fleets = new Set<string>();
  /** Fleets that had a desktop worker here. */
  private readonly desktopFleets = new Set<string>();
  private readonly adders: ReadonlyMap<string, Adder>;
  private readonly reports;
  private readonly rejected;

  constructor(metrics: Metrics, log: Log, listeners: WorkerConditionListeners = {}) {
    this.log = log;
    this.listeners = listeners;
    this.adders = new Map(catalog.flatMap(([name, spec]) => this.declareMetric(metrics, name, spec)));
    this.reports = metrics.counter({
      name: 'worker_metric_reports_total',
      help: 'Accepted metric reports of workers',
      labels: { fleet: FLEET_LABEL },
    });
    this.rejected = metrics.counter({
      name: 'worker_metrics_rejected_total',
      help: 'Rejected metrics of workers, by reason',
      labels: { fleet: FLEET_LABEL, reason: rejectionReasons },
    });
    metrics.gauge({
      name: 'gateway_connections',
      help: 'Workers connected to this replica',
      labels: { fleet: FLEET_LABEL },
      collect: (gauge) => this.sum(() => 1).forEach((value, fleet) => gauge.set(value, { fleet })),
    });
    metrics.gauge({
      name: 'gateway_external_workers',
      help: 'Workers connected to this replica that no controller started',
      labels: { fleet: FLEET_LABEL },
      collect: (gauge) =>
        this.sum(({ isExternal }) => (isExternal ? 1 : 0)).forEach((value, fleet) => gauge.set(value, { fleet })),
    });
    metrics.gauge({
      name: 'gateway_egress_enforcement',
      help: 'Desktop workers connected to this replica, by the enforcement of egress rules for programs. `settings`: programs that ignore proxy settings bypass the rules',
      labels: { fleet: FLEET_LABEL, mode: enforcements },
      collect: (gauge) => {
        for (const mode of enforcements)
          this.sum(({ egressEnforcement }) => (egressEnforcement === mode ? 1 : 0)).forEach((value, fleet) => {
            if (this.desktopFleets.has(fleet)) gauge.set(value, { fleet, mode });
          });
      },
    });
    metrics.gauge({
      name: 'gateway_slots',
      help: 'Slots of the workers connected to this replica. `unschedulable`: free slots of draining or cordoned workers',
      labels: { fleet: FLEET_LABEL, use: ['busy', 'free', 'unschedulable'] },
      collect: (gauge) => {
        const free = ({ slots, attempts }: MetricsSource) => Math.max(0, slots - attempts.size);
        const uses = {
          busy: this.sum(({ attempts }) => attempts.size),
          free: this.sum((source) => (source.isUnschedulable ? 0 : free(source))),
          unschedulable: this.sum((source) => (source.isUnschedulable ? free(source) : 0)),
        };
        for (const use of ['busy', 'free', 'unschedulable'] as const)
          uses[use].forEach((value, fleet) => gauge.set(value, { fleet, use }));
      },
    });
  }

  /** Adds a worker. It is removed, with its gauges, when its socket closes. */
  onConnected(source: MetricsSource): void {
    const { closed } = source.socket;
    if (this.reporters.has(source) || closed.aborted) return;
    this.reporters.set(source, { gauges: new Map(), nextReportDueMs: 0 });
    closed.addEventListener('abort', () => this.reporters.delete(source), { once: true });
    this.reportConditions(source);
    const fleet = source.fleet.name;
    if (this.fleets.has(fleet)) return;
    this.fleets.add(fleet);
    this.initializeCounters(fleet);
  }

  /** Adds a report. Never throws: invalid metrics are counted and dropped. */
  addReport(source: MetricsSource, { counters, histograms, gauges }: FromWorkerOf<'metrics'> | MetricDeltas): void {
    const reporter = this.reporters.get(source);
    if (!reporter) return;
    const fleet = source.fleet.name;
    const now = performance.now();
    reporter.nextReportDueMs = Math.max(now, reporter.nextReportDueMs) + REPORT_INTERVAL_MS;
    if (reporter.nextReportDueMs - now > (1 + MAX_EARLY_REPORTS) * REPORT_INTERVAL_MS) {
      reporter.nextReportDueMs -= REPORT_INTERVAL_MS;
      return this.rejected.inc({ fleet, reason: 'too_often' });
    }
    this.reports.inc({ fleet });
    this.reportConditions(source);
    for (const { name, labels, add } of counters) {
      if (!this.validate(fleet, 'counter', name, labels)) continue;
      this.adders.get(name)?.({ ...labels, fleet }, add);
      if (name === 'worker_memory_events_total' && labels['event'] === 'oom_kill' && add > 0)
        this.reportOutOfMemory(source, add);
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

  private reportConditions({ egressEnforcement, isExternal, fleet, workerName }: MetricsSource): void {
    if (egressEnforcement !== undefined) this.desktopFleets.add(fleet.name);
    if (egressEnforcement === 'settings') this.listeners.onUnenforcedEgress?.(fleet.name, workerName);
    if (isExternal) this.listeners.onExternalWorker?.(fleet.name, workerName);
  }

  private declareMetric(metrics: Metrics, name: keyof typeof workerMetrics, spec: WorkerMetric): [string, Adder][] {
    const { kind, help, buckets = [] } = spec;
    const labels = { ...spec.labels, fleet: FLEET_LABEL };
    switch (kind) {
      case 'counter': {
        const counter = metrics.counter<Record<string, typeof FLEET_LABEL | readonly string[]>>({ name, help, labels });
        return [[name, (values, delta) => typeof delta === 'number' && counter.add(delta, values)]];
      }
      case 'histogram': {
        const histogram = metrics.mergedHistogram<Record<string, typeof FLEET_LABEL | readonly string[]>>({
          name,
          help,
          labels,
          buckets,
        });
        return [
          [name, (values, delta) => typeof delta !== 'number' && histogram.merge(delta.counts, delta.sum, values)],
        ];
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

  /** Starts the counters of a fleet at zero. A counter that appears with its first count would show no increase. */
  private initializeCounters(fleet: string): void {
    for (const [name, { kind, labels }] of catalog) {
      const [[label, values] = [], ...otherLabels] = Object.entries(labels);
      if (kind !== 'counter' || label === undefined || values === undefined || otherLabels.length > 0) continue;
      // There are many error codes, and a failed step is no alarm by itself.
      if (values.length <= 10) for (const value of values) this.adders.get(name)?.({ [label]: value, fleet }, 0);
    }
    for (const reason of rejectionReasons) this.rejected.add(0, { fleet, reason });
    this.reports.add(0, { fleet });
  }

  /** Returns the metric with this kind and these labels; counts a rejection when the catalog has none. */
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
    const labelNames = Object.keys(spec.labels);
    if (labelNames.length === Object.keys(labels).length && labelNames.every((label) => Object.hasOwn(labels, label)))
      return spec;
    this.rejected.inc({ fleet, reason: 'labels' });
    return null;
  }

  private sum(valueOf: (source: MetricsSource, reporter: Reporter) => number): Map<string, number> {
    const sums = new Map([...this.fleets].map((fleet) => [fleet, 0]));
    for (const [source, reporter] of this.reporters) {
      const { name } = source.fleet;
      sums.set(name, (sums.get(name) ?? 0) + valueOf(source, reporter));
    }
    return sums;
  }

  private reportOutOfMemory({ fleet, workerName }: MetricsSource, processes: number): void {
    this.listeners.onOutOfMemory?.(fleet.name, workerName, processes);
    this.log.warn(
      { fleet: fleet.name, worker: workerName, processes },
      'worker process ran out of memory: increase memory or reduce slots of its fleet',
    );
  }
}
