import {
  workerMetrics,
  type MetricDeltas,
  type WorkerMetric,
  type WorkerMetricLabels,
  type WorkerMetricName,
  type WorkerMetricOf,
} from '@pilothouse/contract/worker/worker-metrics.schema';

interface Series<Value> {
  readonly name: string;
  readonly labels: Record<string, string>;
  value: Value;
}

interface Observed {
  readonly counts: number[];
  sum: number;
}

type Gauge = WorkerMetricOf<'gauge'>;

/** Measurements of this worker that are not sent yet. */
export class MetricsBuffer {
  private readonly counters = new Map<string, Series<number>>();
  private readonly histograms = new Map<string, Series<Observed>>();
  private readonly gauges = new Map<Gauge, number>();
  private sentGauges = '';

  count<Name extends WorkerMetricOf<'counter'>>(name: Name, labels: WorkerMetricLabels<Name>, increment = 1): void {
    this.series(this.counters, name, labels, () => 0).value += increment;
  }

  /** @param ms milliseconds; exposed as seconds */
  observe<Name extends WorkerMetricOf<'histogram'>>(name: Name, labels: WorkerMetricLabels<Name>, ms: number): void {
    const { buckets }: { buckets: readonly number[] } = workerMetrics[name];
    const seconds = Math.max(0, ms / 1000);
    const { value } = this.series(this.histograms, name, labels, () => ({
      counts: Array.from({ length: buckets.length + 1 }, () => 0),
      sum: 0,
    }));
    const index = buckets.findIndex((bound) => seconds <= bound);
    const place = index === -1 ? buckets.length : index;
    value.counts[place] = (value.counts[place] ?? 0) + 1;
    value.sum += seconds;
  }

  set(name: Gauge, value: number): void {
    this.gauges.set(name, value);
  }

  add(name: Gauge, delta: number): void {
    this.set(name, (this.gauges.get(name) ?? 0) + delta);
  }

  /**
   * Passes new measurements to `send`, if there are any.
   * @param send returns true if they are on their way; otherwise they are sent with the next ones
   */
  flush(send: (deltas: MetricDeltas) => boolean): void {
    const gauges = [...this.gauges].map(([name, value]) => ({ name, labels: {}, value }));
    const serializedGauges = JSON.stringify(gauges);
    if (this.counters.size === 0 && this.histograms.size === 0 && serializedGauges === this.sentGauges) return;
    const deltas: MetricDeltas = {
      counters: [...this.counters.values()].map(({ value, ...series }) => ({ ...series, add: value })),
      histograms: [...this.histograms.values()].map(({ value, ...series }) => ({ ...series, ...value })),
      gauges,
    };
    if (!send(deltas)) return;
    this.counters.clear();
    this.histograms.clear();
    this.sentGauges = serializedGauges;
  }

  /** Marks gauges as unsent: this gateway has no values of the worker yet. */
  resendGauges(): void {
    this.sentGauges = '';
  }

  private series<Value>(
    seriesByKey: Map<string, Series<Value>>,
    name: WorkerMetricName,
    labels: Record<string, string>,
    begin: () => Value,
  ): Series<Value> {
    // In the order of the catalog, so that equal labels are one series.
    const { labels: known }: WorkerMetric = workerMetrics[name];
    const ordered = Object.fromEntries(Object.keys(known).map((label) => [label, labels[label] ?? '']));
    const key = `${name} ${Object.values(ordered).join(' ')}`;
    const found = seriesByKey.get(key);
    if (found) return found;
    const newSeries = { name, labels: ordered, value: begin() };
    seriesByKey.set(key, newSeries);
    return newSeries;
  }
}
