import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { labelCombinations, LabelBounds, type Labels, type LabelSpec } from './metric-labels.ts';
import { MergedHistogram } from './merged-histogram.ts';

// Default gauges of prom-client with the suffix "_total", which is reserved for counters.
const MISNAMED_METRICS = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/** Adds the default metrics of the process and Node.js to a registry. */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const name of MISNAMED_METRICS) register.removeSingleMetric(name);
}

interface Spec<L extends LabelSpec> {
  /** In snake case, without the prefix, ending in its base unit. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels?: L;
}

type With<L extends LabelSpec> = keyof L extends never ? [labels?: Labels<L>] : [labels: Labels<L>];

export interface CounterOf<L extends LabelSpec> {
  inc(...labels: With<L>): void;
  add(count: number, ...labels: With<L>): void;
}

export interface GaugeOf<L extends LabelSpec> {
  set(value: number, ...labels: With<L>): void;
}

export interface HistogramOf<L extends LabelSpec> {
  observe(value: number, ...labels: With<L>): void;
}

/** A histogram that merges observations of other processes. */
export interface MergedHistogramOf<L extends LabelSpec> {
  /** @param counts observations per bucket, not cumulative; the last is beyond all buckets. @param sum sum of the observed values */
  merge(counts: readonly number[], sum: number, ...labels: With<L>): void;
}

/**
 * Metrics of a process. A component declares its metrics in one function and receives the result:
 * `const gatewayMetrics = (metrics: Metrics) => ({ workers: metrics.gauge({...}), appends: metrics.counter({...}) })`.
 */
export interface Metrics {
  counter<const L extends LabelSpec = Record<never, never>>(spec: Spec<L>): CounterOf<L>;
  /** @param collect called before each reading, to set the value */
  gauge<const L extends LabelSpec = Record<never, never>>(
    spec: Spec<L> & { readonly collect?: (gauge: GaugeOf<L>) => void | Promise<void> },
  ): GaugeOf<L>;
  /** @param buckets upper bounds, in the unit of the name */
  histogram<const L extends LabelSpec = Record<never, never>>(
    spec: Spec<L> & { readonly buckets: readonly number[] },
  ): HistogramOf<L>;
  /** @param buckets as of `histogram` */
  mergedHistogram<const L extends LabelSpec = Record<never, never>>(
    spec: Spec<L> & { readonly buckets: readonly number[] },
  ): MergedHistogramOf<L>;
  /** Returns the metrics in the Prometheus exposition format. */
  read(): Promise<{ contentType: string; body: string }>;
}

/**
 * Creates the metrics of a process with a prefix, and the default metrics of the process and Node.js.
 * @param prefix without the underscore, e.g. `pilothouse`
 */
export function createMetrics({ prefix }: { readonly prefix: string }): Metrics {
  const registry = new Registry();
  const merged: MergedHistogram[] = [];
  collectProcessMetrics(registry);
  const common = <L extends LabelSpec>({ name, help, labels }: Spec<L>, kind: keyof typeof NAME_PATTERNS) => {
    checkName(name, help, kind);
    const labelNames = Object.keys(labels ?? {});
    return { name: `${prefix}_${name}`, help, labelNames, registers: [registry] };
  };
  return {
    counter(spec) {
      const counter = new Counter(common(spec, 'counter'));
      const bounds = new LabelBounds(spec.labels ?? {});
      // Series start at zero: `rate()` misses the first count of a series that appears with it.
      if (spec.labels) for (const labels of labelCombinations(spec.labels)) counter.inc(labels, 0);
      return {
        inc: (...[labels]) => counter.inc(bounds.bound(labels), 1),
        add: (count, ...[labels]) => counter.inc(bounds.bound(labels), count),
      };
    },
    gauge({ collect, ...spec }) {
      const bounds = new LabelBounds(spec.labels ?? {});
      const gauge = new Gauge({
        ...common(spec, 'gauge'),
        ...(collect && {
          async collect() {
            // Values that are no longer set must disappear.
            gauge.reset();
            await collect(setter);
          },
        }),
      });
      const setter: GaugeOf<NonNullable<typeof spec.labels>> = {
        set: (value, ...[labels]) => gauge.set(bounds.bound(labels), value),
      };
      return setter;
    },
    histogram({ buckets, ...spec }) {
      const histogram = new Histogram({ ...common(spec, 'histogram'), buckets: [...buckets] });
      const bounds = new LabelBounds(spec.labels ?? {});
      return { observe: (value, ...[labels]) => histogram.observe(bounds.bound(labels), value) };
    },
    mergedHistogram({ buckets, ...spec }) {
      const { name, help } = common(spec, 'histogram');
      if (registry.getSingleMetric(name) || merged.some((histogram) => histogram.name === name)) {
        throw new Error(`The metric ${name} is declared twice`);
      }
      const histogram = new MergedHistogram(name, help, buckets);
      merged.push(histogram);
      const bounds = new LabelBounds(spec.labels ?? {});
      return { merge: (counts, sum, ...[labels]) => histogram.merge(bounds.bound(labels), counts, sum) };
    },
    read: async () => ({
      contentType: registry.contentType,
      body: [await registry.metrics(), ...merged.map((histogram) => histogram.text())].join('\n'),
    }),
  };
}

const NAME_PATTERNS = {
  counter: /^.*_total$/,
  gauge: /^(?!.*_(total|count|sum|bucket|info)$).*$/,
  // A size is a number of things.
  histogram: /^.*_(seconds|bytes|ratio|size)$/,
} as const;
const NOT_BASE = /_(ms|milliseconds|minutes|hours|kb|kilobytes|mb|megabytes|percent)(_|$)/;

/** Rejects names that the Prometheus linter rejects, when the metric is declared. */
function checkName(name: string, help: string, kind: keyof typeof NAME_PATTERNS): void {
  const defect = !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)
    ? 'is not in snake case'
    : NOT_BASE.test(name)
      ? 'is not in a base unit (seconds, bytes, ratio)'
      : !NAME_PATTERNS[kind].test(name)
        ? `does not end like a ${kind} (${NAME_PATTERNS[kind].source})`
        : help.trim() === ''
          ? 'has no help'
          : null;
  if (defect) throw new Error(`The metric ${name} ${defect}`);
}
