import type { Outcome } from '@pilothouse/contract/run/outcome';
import type { StepResult } from '../run-state.ts';

/** Text of an action that completed, and whose effect was not seen. */
export const unverifiedText = ({ effectReason }: Pick<StepResult, 'effectReason'>): string =>
  effectReason === null ? 'Not verified' : `Not verified: ${effectReason}`;

/** Texts of the outcomes of steps that did not complete. */
export const outcomeTexts = {
  refused: 'Refused: nothing was changed',
  unknown: 'Unknown: the step may have changed something',
  interrupted: 'Interrupted',
} as const satisfies Readonly<Record<Exclude<Outcome, 'completed'>, string>>;
