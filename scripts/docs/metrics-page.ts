/** Generates docs/reference/metrics.md from the metrics that API, fleet controller and job runner declare. */
import { routeList } from '@pilothouse/contract/api/route-table';
import { errorCodes } from '@pilothouse/contract/errors/error-codes';
import { stepActions } from '@pilothouse/contract/workflow/step.schema';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { declareLatency } from '../../apps/api/src/http/request-observer.ts';
import { WorkerMetrics } from '../../apps/api/src/gateway/messages/worker-metrics.ts';
import { declareDatabaseMetrics } from '../../apps/api/src/metrics/database.metrics.ts';
import { declareBackgroundQueueMetrics } from '../../apps/api/src/metrics/background-queue.metrics.ts';
import { declareDependencyMetrics } from '../../apps/api/src/metrics/dependency.metrics.ts';
import { declareJoins } from '../../apps/api/src/metrics/join.metrics.ts';
import { instrumentObjectStore } from '../../apps/api/src/metrics/object-store.metrics.ts';
import { declareQueueMetrics } from '../../apps/api/src/metrics/queue.metrics.ts';
import { declareReplicaMetrics } from '../../apps/api/src/metrics/replica.metrics.ts';
import { RunMetrics } from '../../apps/api/src/metrics/run.metrics.ts';
import { ModelMetrics, declareShadowCalls } from '../../apps/api/src/models/model-call.metrics.ts';
import { declareReactions } from '../../apps/api/src/reactions/reaction.metrics.ts';
import { declareSavingsMetrics } from '../../apps/api/src/savings/savings.metrics.ts';
import { declareScreenParses } from '../../apps/api/src/screen-parsing/screen-parse.metrics.ts';
import { FleetMetrics } from '../../apps/fleet/src/fleet.metrics.ts';
import { JobsMetrics } from '../../apps/jobs/src/jobs.metrics.ts';
import { type DocsPage, page, table } from './docs-page.ts';
import { sentence } from './schema-table.ts';

interface Metric {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

const INTRO = `API replicas, the fleet controller and job runners serve these metrics at \`GET /metrics\` for Prometheus. Workers send theirs through the gateway. [Monitoring](../operations/monitoring.md) explains how to scrape and query them, and [Runbooks](../operations/runbooks.md) explains the alerts.

Each label has a limited number of values. Further values become \`other\`. No label names a run, a project, a worker, a URL or a person.`;

/** Sections of the page, by the start of the name without prefix. */
const sections: readonly (readonly [title: string, names: RegExp])[] = [
  ['Runs', /^(queue|runs?|steps|event|live|sweeper|periodic)_/],
  ['Models', /^(model|screen|registry|saved)_/],
  ['Gateway and workers', /^(gateway|worker)_/],
  ['API', /^(http|database|dependency|group|object)_/],
  ['Fleet controller', /^fleet_/],
  ['Background jobs', /^(jobs|learning)_/],
];

function sectionOf({ name }: Metric): string {
  const [title] = sections.find(([, names]) => names.test(name.replace('pilothouse_', ''))) ?? [];
  if (title === undefined) throw new Error(`Add a section for ${name}`);
  return title;
}

/** Descriptions of labels with many values. */
const valueNames: readonly (readonly [values: readonly string[], text: string])[] = [
  [errorCodes, 'an [error code](errors.md)'],
  [['none', ...errorCodes], 'an [error code](errors.md) or none'],
  [stepActions, 'an action'],
  [[...routeList.map(({ name }) => name), 'none'], 'an [operation](rest-examples.md#find-an-operation) or none'],
];

type LabelSpec = Readonly<Record<string, readonly string[] | { readonly maxValues: number }>>;

function labelText(name: string, values: LabelSpec[string]): string {
  if ('maxValues' in values) return `\`${name}\``;
  const known = valueNames.find(
    ([list]) => list.length === values.length && list.every((value) => values.includes(value)),
  );
  return `\`${name}\`: ${known ? known[1] : values.join(', ')}`;
}

/** Metrics that record only their declarations. */
function recordingMetrics(declared: Metric[]): Metrics {
  const record =
    (type: string) =>
    ({ name, help, labels = {} }: { name: string; help: string; labels?: LabelSpec }) => {
      const texts = Object.entries(labels).map(([label, values]) => labelText(label, values));
      declared.push({ name: `pilothouse_${name}`, type, labels: texts, help });
      return { inc() {}, add() {}, set() {}, observe() {}, merge() {} };
    };
  return {
    counter: record('counter'),
    gauge: record('gauge'),
    histogram: record('histogram'),
    mergedHistogram: record('histogram'),
    read: () => Promise.resolve({ contentType: '', body: '' }),
  };
}

function apiMetrics(): Metric[] {
  const declared: Metric[] = [];
  const metrics = recordingMetrics(declared);
  // Declaring a metric does not call its source.
  const unused = {} as never;
  new RunMetrics(metrics, unused, unused);
  declareQueueMetrics(metrics, unused, () => {});
  declareBackgroundQueueMetrics(metrics, unused);
  declareDatabaseMetrics(metrics, { on() {} } as unknown as Parameters<typeof declareDatabaseMetrics>[1]);
  declareReplicaMetrics(metrics).declareReaderCount(() => 0);
  declareDependencyMetrics(metrics, unused);
  instrumentObjectStore(unused, metrics);
  declareLatency(metrics);
  declareJoins(metrics);
  declareScreenParses(metrics);
  new ModelMetrics(metrics);
  declareReactions(metrics);
  declareShadowCalls(metrics);
  declareSavingsMetrics(metrics);
  new WorkerMetrics(metrics, unused);
  return declared;
}

/** Returns the metrics of a registry of prom-client. */
function registryMetrics({ registry }: Pick<FleetMetrics | JobsMetrics, 'registry'>): Metric[] {
  const metrics = registry.getMetricsAsArray() as unknown as (Omit<Metric, 'labels'> & {
    labelNames?: string[];
  })[];
  return metrics
    .filter(({ name }) => name.startsWith('pilothouse_'))
    .map(({ name, type, help, labelNames = [] }) => ({
      name,
      type,
      help,
      labels: labelNames.map((label) => `\`${label}\``),
    }));
}

/** The metrics of API, workers, fleet controller and job runner. */
export const metricsPage: DocsPage = {
  path: 'docs/reference/metrics.md',
  render: () => {
    const metrics = [
      ...apiMetrics(),
      ...registryMetrics(new FleetMetrics()),
      ...registryMetrics(new JobsMetrics()),
    ].sort((a, b) => a.name.localeCompare(b.name));
    return page(
      '# Metrics',
      INTRO,
      ...sections.flatMap(([title]) => [
        `## ${title}`,
        table(
          ['metric', 'type', 'labels', 'meaning'],
          metrics
            .filter((metric) => sectionOf(metric) === title)
            .map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join('; '), sentence(help)]),
        ),
      ]),
      '## Process',
      'API, fleet controller and job runner also serve the metrics `process_…` and `nodejs_…` of prom-client. `nodejs_eventloop_lag_p99_seconds` rises first when a replica is overloaded.',
    );
  },
};
