/** Filter of the audit log, as in the URL of the page. Empty: not filtered. */
export interface AuditFilter {
  /** Email address of a user, name of a key, or an id. */
  actor: string;
  action: string;
  target: string;
  /** First and last day in UTC, such as `2026-05-04`. */
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** Reads the filter of a URL. Invalid days are ignored. */
export function auditFilterOf(search: URLSearchParams): AuditFilter {
  const text = (name: string) => (search.get(name) ?? '').trim();
  const day = (name: string) => (isDay(text(name)) ? text(name) : '');
  return { actor: text('actor'), action: text('action'), target: text('target'), from: day('from'), to: day('to') };
}

/** Query of a URL for a filter, without empty values. */
export const auditSearchOf = (filter: AuditFilter): URLSearchParams =>
  new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));

/** Query of the API for a filter. The last day is included. */
export const auditQueryOf = ({ actor, action, target, from: firstDay, to: lastDay }: AuditFilter) => ({
  ...(actor && { actor }),
  ...(action && { action }),
  ...(target && { target }),
  ...(firstDay && { since: new Date(firstDay).toISOString() }),
  ...(lastDay && { until: new Date(Date.parse(lastDay) + DAY_MS).toISOString() }),
});
