import type { TraceFilter, TraceQuality } from '@pilothouse/contract/learning/trace.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { isSurfaceKind } from '../../shared/surface-labels.ts';
import { traceQualityLabels } from './trace-quality.ts';

/** Values of the review filter. `needed` is the default. */
export const reviewLabels = { needed: 'Needs review', done: 'No review needed', all: 'All traces' } as const;
export type ReviewState = keyof typeof reviewLabels;

/** Filter of the review queue, as in the URL of the page. */
export interface QueueFilter {
  review: ReviewState;
  quality: TraceQuality[];
  workflow: string;
  model: string;
  surface: SurfaceKind | '';
  /** First UTC day, as `2026-01-31`. */
  from: string;
  /** Last UTC day. */
  to: string;
  /** Searches goal, workflow name and the beginning of the run id. */
  text: string;
}

const DAY_MS = 86_400_000;

/** Limits of the API. */
const MAX_TEXT = 200;
const MAX_MODEL = 400;
const WORKFLOW_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

const isReview = (text: string): text is ReviewState => Object.hasOwn(reviewLabels, text);
const isQuality = (text: string): text is TraceQuality => Object.hasOwn(traceQualityLabels, text);
const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Reads the filter of a URL. Invalid values are ignored. */
export function queueFilterOf(search: URLSearchParams): QueueFilter {
  const text = (name: string) => (search.get(name) ?? '').trim();
  const valid = (name: string, isValid: (value: string) => boolean) => (isValid(text(name)) ? text(name) : '');
  const [review, surface] = [text('review'), text('surface')];
  return {
    review: isReview(review) ? review : 'needed',
    quality: search.getAll('quality').filter(isQuality),
    workflow: valid('workflow', (name) => WORKFLOW_NAME.test(name)),
    model: text('model').slice(0, MAX_MODEL),
    surface: isSurfaceKind(surface) ? surface : '',
    from: valid('from', isDay),
    to: valid('to', isDay),
    text: text('text').slice(0, MAX_TEXT),
  };
}

/** Query of a URL for a filter, without default values. */
export function queueSearchOf({ review, quality, ...texts }: QueueFilter): URLSearchParams {
  const search = new URLSearchParams();
  if (review !== 'needed') search.set('review', review);
  for (const value of quality) search.append('quality', value);
  for (const [name, value] of Object.entries(texts)) if (value !== '') search.set(name, value);
  return search;
}

/** Filter of the API. */
export const traceFilterOf = ({
  review,
  quality,
  workflow,
  model,
  surface,
  from: firstDay,
  to: lastDay,
  text,
}: QueueFilter): TraceFilter => ({
  ...(review !== 'all' && { needsReview: review === 'needed' }),
  ...(quality.length > 0 && { quality }),
  ...(workflow && { workflow }),
  ...(model && { model }),
  ...(surface && { surface }),
  ...(firstDay && { from: `${firstDay}T00:00:00Z` }),
  ...(lastDay && { to: new Date(Date.parse(lastDay) + DAY_MS).toISOString() }),
  ...(text && { search: text }),
});
