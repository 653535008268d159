import type { JobKind, JobStatus } from '@pilothouse/contract/job/job.schema';
import { jobKindLabels, jobStatusLabels } from './job-labels.ts';

/** Filter of the job list, as in the URL of the page. */
export interface JobFilter {
  kind: JobKind | '';
  status: JobStatus | '';
}

const isKind = (text: string): text is JobKind => Object.hasOwn(jobKindLabels, text);
const isStatus = (text: string): text is JobStatus => Object.hasOwn(jobStatusLabels, text);

/** Reads the filter of a URL. Invalid values are ignored. */
export function jobFilterOf(search: URLSearchParams): JobFilter {
  const [kind, status] = [search.get('kind') ?? '', search.get('status') ?? ''];
  return { kind: isKind(kind) ? kind : '', status: isStatus(status) ? status : '' };
}

/** Query of a URL for a filter and a page, without empty values. */
export function jobSearchOf({ kind, status }: JobFilter, cursor?: string): string {
  const entries = Object.entries({ kind, status, cursor: cursor ?? '' }).filter(([, value]) => value !== '');
  return new URLSearchParams(entries).toString();
}
