import type { Answer } from '@pilothouse/contract';
import type { Place } from './state.ts';

/** Where a step of a list without control flow stands: what an event or a checkpoint means that does not say it. */
export const plainPlace = (number: number) => String(number + 1);

/** Where a step stands, for an event: left out where its number says it. */
export const placed = ({ number, at }: Pick<Place, 'number' | 'at'>): { step: number; at?: string } => ({
  step: number,
  ...(at !== plainPlace(number) && { at }),
});

/** Whether a step is the one that is named, as `placed` names it: on another path, or in another round, its number is that of another. */
export const standsAt = (
  { step, at = plainPlace(step) }: ReturnType<typeof placed>,
  place: Pick<Place, 'number' | 'at'>,
): boolean => step === place.number && at === place.at;

/** Whether a person answered about this step. A version before did not keep where it stands: then its number has to do. */
export const isAnswerTo = ({ step, at }: Pick<Answer, 'step' | 'at'>, place: Pick<Place, 'number' | 'at'>): boolean =>
  step === place.number && (at === undefined || at === place.at);
