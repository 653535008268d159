import type { Job } from '@pilothouse/contract/job/job.schema';
import type { EvaluationResult } from '@pilothouse/contract/learning/offline-evaluation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';

/** Prefix of metric names that evaluations record. */
const PREFIX = 'offline:';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areNumbers = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => typeof value[name] === 'number');

/** A registration may contain any metrics. */
function isEvaluation(value: unknown): value is EvaluationResult {
  if (!isObject(value)) return false;
  const { model, dataset, job, grounding, latencyMs, usd, errors } = value;
  return (
    [model, dataset, job].every((text) => typeof text === 'string') &&
    ['actionMatchRate', 'kindMatchRate', 'targetMatchRate', 'textMatchRate'].every((name) =>
      areNumbers(value[name], ['successes', 'trials', 'low', 'high']),
    ) &&
    (grounding === null || areNumbers(grounding, ['medianPixels'])) &&
    (latencyMs === null || areNumbers(latencyMs, ['median'])) &&
    (usd === null || typeof usd === 'number') &&
    Array.isArray(errors) &&
    errors.every((error) => areNumbers(error, ['count']))
  );
}

/** Metrics of a model: results of evaluations, and others. */
export function metricsOf(metrics: Readonly<Record<string, Json>>): {
  evaluations: EvaluationResult[];
  others: [name: string, value: Json][];
} {
  const entries = Object.entries(metrics);
  const isResult = ([name, value]: [string, Json]) => name.startsWith(PREFIX) && isEvaluation(value);
  return {
    evaluations: entries.filter(isResult).map(([, value]) => value as unknown as EvaluationResult),
    others: entries.filter((entry) => !isResult(entry)),
  };
}

/** Model that a job evaluates; undefined: it evaluates none. */
const evaluatedModelOf = ({ kind, params }: Pick<Job, 'kind' | 'params'>): unknown =>
  kind === 'evaluate' && isObject(params) ? params['model'] : undefined;

/**
 * Evaluations of a model and its base, from the newest jobs: the results of the base, and the newest jobs for each
 * dataset if they have no result.
 * @param jobs newest first
 */
export function evaluationJobsOf({ name, base }: { name: string; base: string | null }, jobs: readonly Job[]) {
  const results = new Map<string, EvaluationResult>();
  for (const job of jobs) {
    if (base === null || evaluatedModelOf(job) !== base || !isEvaluation(job.result)) continue;
    if (!results.has(job.result.dataset)) results.set(job.result.dataset, job.result);
  }
  const subjects = new Set<string>();
  const isNewest = ({ params }: Job) => {
    const { model, dataset } = params as { model: string; dataset: string };
    const subject = `${model} ${dataset}`;
    return !subjects.has(subject) && subjects.add(subject);
  };
  const isOfModel = (job: Job) => [name, base].includes(evaluatedModelOf(job) as string);
  return {
    baseEvaluations: [...results.values()],
    unfinished: jobs.filter((job) => isOfModel(job) && isNewest(job) && job.status !== 'completed'),
  };
}

const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

/** Value of a metric, of any kind. */
export function metricText(value: Json): string {
  if (typeof value === 'number') return numberFormat.format(value);
  if (typeof value === 'string') return value;
  if (value === null) return '—';
  return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : JSON.stringify(value);
}

/** Name of a metric in words: `finalLoss` becomes `Final loss`. */
export function metricLabel(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
