import type { Politeness, SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import { FormProblem, numberOf } from '../shared/form-problem.ts';

/** Name of the field with the number of rows. */
export const rowsField = 'politeness.rows';

/** Name of a field in a row. */
export const siteField = (row: number, key: string): string => `politeness.${row}.${key}`;

/** Politeness settings of the form; null: none. @param text returns the text of a field @throws FormProblem */
export function politenessOf(text: (field: string) => string): Politeness | null {
  const limits = Array.from({ length: Number(text(rowsField)) || 0 }, (_, row) => limitOf(row, text));
  const robots = text('robots') === 'report' ? 'report' : 'ignore';
  // Without limits, `ignore` is the default.
  if (limits.length === 0 && robots === 'ignore') return null;
  return { ...(limits.length > 0 && { limits }), robots };
}

function limitOf(row: number, text: (field: string) => string): SiteLimit {
  const [site, pace, runs] = [
    siteField(row, 'domain'),
    siteField(row, 'requestsPerMinute'),
    siteField(row, 'maxConcurrentRuns'),
  ];
  const domain = text(site).trim();
  if (domain === '') throw new FormProblem(site, 'Enter a site or remove the row.');
  const requestsPerMinute = numberOf(pace, text(pace), { isInteger: false });
  const maxConcurrentRuns = numberOf(runs, text(runs), { isInteger: true });
  if (requestsPerMinute === null && maxConcurrentRuns === null)
    throw new FormProblem(pace, 'Enter pages per minute, concurrent runs, or both.');
  return {
    domain,
    ...(requestsPerMinute !== null && { requestsPerMinute }),
    ...(maxConcurrentRuns !== null && { maxConcurrentRuns }),
  };
}

/** Form field of an API error pointer such as `/politeness/limits/0/domain`. */
export function siteFieldOf(pointer: string): string | null {
  const [, part, list, row, key = 'domain'] = pointer.split('/');
  return part === 'politeness' && list === 'limits' && row !== undefined ? siteField(Number(row), key) : null;
}
