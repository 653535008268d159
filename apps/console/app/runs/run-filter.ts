import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunOriginKind } from '@pilothouse/contract/run/run-origin.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { isOriginKind } from '../shared/labels.ts';
import { isSurfaceKind } from '../shared/surface-labels.ts';

export const runStatuses = [
  'queued',
  'running',
  'awaiting_user',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];

/** Time spans of the filter in milliseconds, by their name in the URL. */
export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
export type Span = keyof typeof spans;

/** Filter of a run list, as in the URL of the page. */
export interface RunFilter {
  status: RunStatus[];
  /** Searches workflow name, goal, error and the beginning of the id. */
  text: string;
  workflow: string;
  fleet: string;
  surface: SurfaceKind | '';
  origin: RunOriginKind | '';
  label: string;
  error: string;
  /** Id of the parent run. */
  parent: string;
  span: Span | '';
}

const isStatus = (text: string): text is RunStatus => runStatuses.some((status) => status === text);
/** The API rejects other ids. */
const isId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
const isSpan = (text: string): text is Span => text in spans;

/** Reads the filter of a URL. Invalid values are ignored. */
export function filterOf(search: URLSearchParams): RunFilter {
  const text = (name: string) => (search.get(name) ?? '').trim();
  const span = text('span');
  const surface = text('surface');
  const origin = text('origin');
  const parent = text('parent');
  return {
    status: search
      .getAll('status')
      .flatMap((list) => list.split(','))
      .filter(isStatus),
    text: text('text'),
    workflow: text('workflow'),
    fleet: text('fleet'),
    surface: isSurfaceKind(surface) ? surface : '',
    origin: isOriginKind(origin) ? origin : '',
    label: text('label'),
    error: text('error'),
    parent: isId(parent) ? parent : '',
    span: isSpan(span) ? span : '',
  };
}

/** Query of a URL for a filter, without empty values. */
export function searchOf({ status, span, ...texts }: RunFilter): URLSearchParams {
  const search = new URLSearchParams();
  for (const value of status) search.append('status', value);
  for (const [name, value] of Object.entries({ ...texts, span })) if (value !== '') search.set(name, value);
  return search;
}

/** Query of the API for a filter. @param now milliseconds since 1970 */
export const queryOf = (
  { status, text, workflow, fleet, surface, origin, label, error, parent, span }: RunFilter,
  now: number,
) => ({
  ...(status.length > 0 && { status }),
  ...(text && { text }),
  ...(workflow && { workflow }),
  ...(fleet && { fleet }),
  ...(surface && { surface }),
  ...(origin && { origin: [origin] }),
  ...(label && { labels: [label] }),
  ...(error && { error }),
  ...(parent && { parentRunId: parent }),
  // Rounded to the minute, so that repeated requests are equal.
  ...(span && { createdAfter: new Date(Math.floor((now - spans[span]) / 60_000) * 60_000).toISOString() }),
});
