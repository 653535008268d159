import type { JobProgress, Job, JobKind, JobStatus } from '@pilothouse/contract/job/job.schema';
import { count, countOf, shortId } from '../../shared/number-format.ts';

export const jobKindLabels: Readonly<Record<JobKind, string>> = {
  score: 'Score run',
  build_dataset: 'Build dataset',
  export: 'Export dataset',
  tune: 'Tune model',
  evaluate: 'Evaluate model',
};

/** Labels of job statuses. */
export const jobStatusLabels: Readonly<Record<JobStatus, string>> = {
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** True while a job runner executes the job, or will execute it. */
export const isActiveJob = ({ status }: Pick<Job, 'status'>): boolean => status === 'queued' || status === 'running';

/** Numbers of a progress: `20 of 100 steps`. */
export const progressText = ({ done, total, unit }: JobProgress): string =>
  `${total === null ? '' : `${count(done)} of `}${countOf(total ?? done, unit.replace(/s$/, ''), unit)}`;

/** Resource that a job reads or writes. */
export interface JobLink {
  label: string;
  href: string;
}

const textField = (value: unknown, name: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const field: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  return typeof field === 'string' && field !== '' ? field : undefined;
};

/** Id of the export that a job writes. */
export const exportIdOf = ({ params }: Pick<Job, 'params'>): string | undefined => textField(params, 'export');

/** Links to the resources that a job reads or writes. */
export function jobLinksOf({ id, kind, params, result }: Pick<Job, 'id' | 'kind' | 'params' | 'result'>): JobLink[] {
  const path = (prefix: string, name: string) => {
    const value = textField(params, name);
    return value === undefined ? [] : [{ value, href: `${prefix}${encodeURIComponent(value)}` }];
  };
  switch (kind) {
    case 'score':
      return path('', 'run').flatMap(({ value: run }) => [
        { label: `Trace ${shortId(run)}`, href: `/learning/traces/${encodeURIComponent(run)}` },
        { label: `Run ${shortId(run)}`, href: `/runs/${encodeURIComponent(run)}` },
      ]);
    case 'build_dataset':
      return path('/learning/datasets/', 'dataset').map(({ href }) => ({ label: 'Dataset', href }));
    case 'evaluate':
      return [
        ...path('/learning/datasets/', 'dataset').map(({ href }) => ({ label: 'Dataset', href })),
        // Another value is `endpoint/model`, which has no page.
        ...path('/learning/models/', 'model').flatMap(({ value, href }) =>
          value.includes('/') ? [] : [{ label: `Model ${value}`, href }],
        ),
      ];
    case 'export':
      return path('/learning/datasets/', 'dataset').map(({ href }) => {
        const exportId = exportIdOf({ params });
        return { label: 'Export', href: exportId === undefined ? href : `${href}#export-${exportId}` };
      });
    case 'tune': {
      const model = textField(result, 'registered');
      return [
        { label: 'Tuning job', href: `/learning/tuning/${id}` },
        ...(model === undefined
          ? []
          : [{ label: `Model ${model}`, href: `/learning/models/${encodeURIComponent(model)}` }]),
      ];
    }
  }
}

/** Subject of a job in a list: name of the tuned model, or id of the run. */
export function jobSubjectOf({ kind, params }: Pick<Job, 'kind' | 'params'>): string | undefined {
  if (kind === 'tune') return textField(params, 'name');
  if (kind === 'evaluate') return textField(params, 'model');
  if (kind !== 'score') return undefined;
  const run = textField(params, 'run');
  return run === undefined ? undefined : shortId(run);
}
