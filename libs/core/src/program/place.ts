import type { Place } from './state.ts';

/** Where a step of a list without control flow stands: what an event or a checkpoint means that does not say it. */
export const plainPlace = (number: number) => String(number + 1);

/** Where a step stands, for an event: left out where its number says it. */
export const placed = ({ number, at }: Pick<Place, 'number' | 'at'>): { step: number; at?: string } => ({
  step: number,
  ...(at !== plainPlace(number) && { at }),
});
