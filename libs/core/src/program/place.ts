import type { RunAnswer } from '@pilothouse/contract';
import type { StepPosition } from './state.ts';

/** Where a step of a list without control flow stands: what an event or a checkpoint means that does not say it. */
export const linearStepPath = (number: number) => String(number + 1);

/** Where a step stands, for an event: left out where its number says it. */
export const stepRef = ({ number, at }: Pick<StepPosition, 'number' | 'at'>): { step: number; at?: string } => ({
  step: number,
  ...(at !== linearStepPath(number) && { at }),
});

/** Whether a step is the one that is named, as `placed` names it: on another path, or in another round, its number is that of another. */
export const isAtPosition = (
  { step, at = linearStepPath(step) }: ReturnType<typeof stepRef>,
  place: Pick<StepPosition, 'number' | 'at'>,
): boolean => step === place.number && at === place.at;

/** Whether a person answered about this step. A version before did not keep where it stands: then its number has to do. */
export const answersStep = (
  { step, at }: Pick<RunAnswer, 'step' | 'at'>,
  place: Pick<StepPosition, 'number' | 'at'>,
): boolean => step === place.number && (at === undefined || at === place.at);
