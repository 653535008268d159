/* The vocabulary for results of actions and steps. Events, prompts, REST, MCP, A2UI and the command line use these words only. */

/** End of an action. */
export const outcomes = ['completed', 'refused', 'unknown', 'interrupted'] as const;
export type Outcome = (typeof outcomes)[number];

/** Certainty of the effect of an action. */
export const effects = ['confirmed', 'none', 'unverifiable'] as const;
export type Effect = (typeof effects)[number];

/** Maximum length of `effectReason`, in characters. */
export const MAX_EFFECT_REASON = 500;

/** Effect of an action that completed. */
export interface ActionEffect {
  readonly effect: Effect;
  /** Reason why the effect could not be seen, or why there was none; missing: no check exists for it. */
  readonly effectReason?: string | undefined;
}

/** Result of an action or a step. */
export interface Result extends ActionEffect {
  readonly outcome: Outcome;
}

/** True if an action ended without an error, and its effect was not seen. These steps are marked and counted. */
export const isUnverified = ({ outcome, effect }: Pick<Result, 'outcome' | 'effect'>): boolean =>
  outcome === 'completed' && effect === 'unverifiable';

/**
 * Result of an action that ended with an error.
 * @param isInputSent true if input may have been sent before the error
 */
export const failedResult = (isInputSent: boolean): Result =>
  isInputSent ? { outcome: 'unknown', effect: 'unverifiable' } : { outcome: 'refused', effect: 'none' };

/**
 * Result of an action that was stopped.
 * @param isInputSent true if input may have been sent before
 */
export const interruptedResult = (isInputSent: boolean): Result => ({
  outcome: 'interrupted',
  effect: isInputSent ? 'unverifiable' : 'none',
});
