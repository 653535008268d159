import {
  workerMetrics,
  type MetricDeltas,
  type WorkerMetric,
  type WorkerMetricLabels,
  type WorkerMetricName,
  type WorkerMetricOf,
} from '@pilothouse/contract';

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

/** What this worker measured and has not yet sent. */
export class MetricsBuffer {
  private readonly counters = new Map<string, Series<number>>();
  private readonly histograms = new Map<string, Series<Observed>>();
  private readonly gauges = new Map<Gauge, number>();
  private sentGauges = '';

  count<Name extends WorkerMetricOf<'counter'>>(name: Name, labels: WorkerMetricLabels<Name>, by = 1): void {
    this.series(this.counters, name, labels, () => 0).value += by;
  }

  /** @param ms milliseconds; what is exposed are seconds */
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

  add(name: Gauge, by: number): void {
    this.set(name, (this.gauges.get(name) ?? 0) + by);
  }

  /**
   * Hands what came to be to `send`, if anything did.
   * @param send whether it is on its way; otherwise it is kept and comes with what follows
   */
  flush(send: (deltas: MetricDeltas) => boolean): void {
    const gauges = [...this.gauges].map(([name, value]) => ({ name, labels: {}, value }));
    const said = JSON.stringify(gauges);
    if (this.counters.size === 0 && this.histograms.size === 0 && said === this.sentGauges) return;
    const deltas: MetricDeltas = {
      counters: [...this.counters.values()].map(({ value, ...series }) => ({ ...series, add: value })),
      histograms: [...this.histograms.values()].map(({ value, ...series }) => ({ ...series, ...value })),
      gauges,
    };
    if (!send(deltas)) return;
    this.counters.clear();
    this.histograms.clear();
    this.sentGauges = said;
  }

  /** A gateway that hears this worker for the first time: gauges are said again. */
  resendGauges(): void {
    this.sentGauges = '';
  }

  private series<Value>(
    of: Map<string, Series<Value>>,
    name: WorkerMetricName,
    labels: Record<string, string>,
    begin: () => Value,
  ): Series<Value> {
    // In the order of the catalogue, so that the same labels are the same series.
    const { labels: known }: WorkerMetric = workerMetrics[name];
    const ordered = Object.fromEntries(Object.keys(known).map((label) => [label, labels[label] ?? '']));
    const key = `${name} ${Object.values(ordered).join(' ')}`;
    const found = of.get(key);
    if (found) return found;
    const made = { name, labels: ordered, value: begin() };
    of.set(key, made);
    return made;
  }
}
