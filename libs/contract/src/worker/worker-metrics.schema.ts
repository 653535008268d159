import { z } from 'zod';
import { egressBlockReasons } from '../project/egress.schema.ts';
import { siteLimitKinds } from '../project/politeness.schema.ts';
import { healingMethods } from '../events/run.events.ts';
import { stepActions } from '../workflow/step.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { tiers } from '../model/model.schema.ts';

/*
 * Metrics of workers. Workers accept no connections: they send deltas, and the gateway exposes the sum by fleet. The names, labels and
 * label values are closed sets, because workers are not trusted and each label value is a time series. To add a metric: define it here,
 * record it in apps/worker/src/telemetry and describe it in docs/metrics.md.
 */

/** One metric of workers, without the prefix and without the label `fleet`, which the gateway adds. */
export interface WorkerMetric {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram, ascending, in seconds. */
  readonly buckets?: readonly number[];
}

/** Metrics of workers by name. Gauges are summed over the workers that are connected; the others count up. */
export const workerMetrics = {
  worker_step_seconds: {
    kind: 'histogram',
    help: 'Time of a step from its intent to its outcome, by action, tier and result',
    labels: { action: stepActions, tier: tiers, result: ['completed', 'failed'] },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  worker_step_failures_total: {
    kind: 'counter',
    help: 'Steps that failed, by error code',
    labels: { code: errorCodes },
  },
  worker_step_retries_total: {
    kind: 'counter',
    help: 'Attempts of steps that failed and were followed by another one, by error code',
    labels: { code: errorCodes },
  },
  worker_heals_total: {
    kind: 'counter',
    help: 'Steps that did not find their element and were to be healed, by method; none: no method worked',
    labels: { method: [...healingMethods, 'none'] },
  },
  worker_surface_open_seconds: {
    kind: 'histogram',
    help: 'Time to open the surface of an attempt, by result',
    labels: { result: ['opened', 'failed'] },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  worker_first_action_seconds: {
    kind: 'histogram',
    help: 'From the assignment of a run until the worker begins with its first action, cold: the first run of a worker',
    labels: { start: ['cold', 'warm'] },
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  worker_surfaces_open: { kind: 'gauge', help: 'Surfaces that are open', labels: {} },
  worker_browsers_replaced_total: {
    kind: 'counter',
    help: 'Browsers that another took the place of: retired with age, or gone by themselves',
    labels: { reason: ['retired', 'gone'] },
  },
  worker_egress_blocked_total: {
    kind: 'counter',
    help: 'Connections of pages that were refused, by the rule that did',
    labels: { rule: egressBlockReasons },
  },
  worker_site_wait_seconds: {
    kind: 'histogram',
    help: 'Time that steps waited for the limits of a site, by the limit that was the last in the way; those that waited not are not counted',
    labels: { limit: siteLimitKinds },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  },
  worker_memory_events_total: {
    kind: 'counter',
    help: 'Memory events of the workers’ cgroups; oom_kill: a process of the worker was killed for want of memory',
    labels: { event: ['high', 'max', 'oom', 'oom_kill'] },
  },
  worker_memory_bytes: { kind: 'gauge', help: 'Memory in use by workers that have a limit', labels: {} },
  worker_memory_limit_bytes: { kind: 'gauge', help: 'Memory limits of workers that have one', labels: {} },
} as const satisfies Record<string, WorkerMetric>;

/** Name of a metric of workers. */
export type WorkerMetricName = keyof typeof workerMetrics;

/** Names of the metrics of one kind. */
export type WorkerMetricOf<Kind extends WorkerMetric['kind']> = {
  [Name in WorkerMetricName]: (typeof workerMetrics)[Name]['kind'] extends Kind ? Name : never;
}[WorkerMetricName];

/** Values for the labels of a metric. */
export type WorkerMetricLabels<Name extends WorkerMetricName> = {
  readonly [
    Label in keyof (typeof workerMetrics)[Name]['labels']
  ]: (typeof workerMetrics)[Name]['labels'][Label] extends readonly (infer Value extends string)[] ? Value : never;
};

/** Largest number that one message may add, so that sums stay exact. */
const MAX_DELTA = 1e12;

// Names and values are not enumerated: a worker that is newer than its gateway may send some that are unknown here, and loses only those.
const series = {
  name: z.string().max(60),
  labels: z.record(z.string().max(40), z.string().max(60)),
};

/** Counter and histogram deltas since the previous message, and current gauge values. */
export const metricDeltasSchema = z.object({
  counters: z.array(z.object({ ...series, add: z.number().min(0).max(MAX_DELTA) })).max(500),
  histograms: z
    .array(
      z.object({
        ...series,
        counts: z
          .array(z.int().min(0).max(1e9))
          .max(60)
          .describe('How many fell into each bucket, and at the last beyond all'),
        sum: z.number().min(0).max(MAX_DELTA),
      }),
    )
    .max(500),
  gauges: z.array(z.object({ ...series, value: z.number().min(0).max(1e15) })).max(100),
});
export type MetricDeltas = z.infer<typeof metricDeltasSchema>;
