import { z } from 'zod';
import { egressBlockReasons } from '../project/egress.schema.ts';
import { siteLimitKinds } from '../project/politeness.schema.ts';
import { healingMethods } from '../events/run.events.ts';
import { stepActions } from '../workflow/step.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { tiers } from '../model/tier-names.ts';

/*
 * Metrics of workers. Workers accept no connections: they send deltas, and the gateway exposes the sum by fleet. The names, labels and
 * label values are closed sets, because workers are not trusted and each label value is a time series. To add a metric: define it here,
 * record it in apps/worker/src/telemetry and run `node scripts/generate-docs.ts`.
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
    help: 'Time of a step from its start event to its result, including the wait for the lease',
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
    help: 'Failed attempts of steps that were followed by another attempt, by error code',
    labels: { code: errorCodes },
  },
  worker_heals_total: {
    kind: 'counter',
    help: 'Steps that did not find their element and tried to heal, by method. `none`: no method worked',
    labels: { method: [...healingMethods, 'none'] },
  },
  worker_turn_records_total: {
    kind: 'counter',
    help: 'Records of turns. `dropped`: encoding and upload were slower than the agent; `failed`: not encoded or not uploaded',
    labels: { result: ['stored', 'dropped', 'failed'] },
  },
  worker_surface_open_seconds: {
    kind: 'histogram',
    help: 'Time to open the browser or desktop of an attempt',
    labels: { result: ['opened', 'failed'] },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  worker_first_action_seconds: {
    kind: 'histogram',
    help: 'Time from the assignment of a run to its first action, including the start of its browser and waits for site limits. `cold`: the first run of a worker',
    labels: { start: ['cold', 'warm'] },
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  worker_surfaces_open: { kind: 'gauge', help: 'Open browsers and desktops', labels: {} },
  worker_browsers_replaced_total: {
    kind: 'counter',
    help: 'Replaced browsers. `retired`: too many runs or too much memory; `gone`: the browser crashed or was killed',
    labels: { reason: ['retired', 'gone'] },
  },
  worker_egress_blocked_total: {
    kind: 'counter',
    help: 'Refused connections of pages, by rule',
    labels: { rule: egressBlockReasons },
  },
  worker_site_wait_seconds: {
    kind: 'histogram',
    help: 'Time that steps waited for a site limit, by the last limit that delayed them. Steps that did not wait are not counted',
    labels: { limit: siteLimitKinds },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  },
  worker_memory_events_total: {
    kind: 'counter',
    help: 'Memory events of the cgroups of workers. `oom_kill`: a process was killed because memory ran out. Workers in the same cgroup count the same event each',
    labels: { event: ['high', 'max', 'oom', 'oom_kill'] },
  },
  worker_memory_bytes: {
    kind: 'gauge',
    help: 'Memory in use by workers that have a memory limit, without reclaimable cache',
    labels: {},
  },
  worker_memory_limit_bytes: { kind: 'gauge', help: 'Memory limits of workers that have one', labels: {} },
} as const satisfies Record<string, WorkerMetric>;

export type WorkerMetricName = keyof typeof workerMetrics;

/** Metric names of one kind. */
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

// Names and values are not enumerated. A worker that is newer than its gateway may send some that are unknown here, and loses only those.
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
          .describe('Number of observations in each bucket, the last one beyond all bounds'),
        sum: z.number().min(0).max(MAX_DELTA),
      }),
    )
    .max(500),
  gauges: z.array(z.object({ ...series, value: z.number().min(0).max(1e15) })).max(100),
});
export type MetricDeltas = z.infer<typeof metricDeltasSchema>;
