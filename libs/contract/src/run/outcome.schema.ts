import { z } from 'zod';

/* The vocabulary for results of actions and steps. Events, prompts, REST, MCP, A2UI and the command line use these words only. */

/** End of an action. */
export const outcomes = ['completed', 'refused', 'unknown', 'interrupted'] as const;
export type Outcome = (typeof outcomes)[number];

/** Certainty of the effect of an action. */
export const effects = ['confirmed', 'none', 'unverifiable'] as const;
export type Effect = (typeof effects)[number];

export const outcomeSchema = z
  .enum(outcomes)
  .describe(
    '`completed`: the action ended without an error; `refused`: it sent no input, and changed nothing; `unknown`: it may have happened; `interrupted`: a cancellation, a person or the loss of the lease stopped it',
  );

export const effectSchema = z
  .enum(effects)
  .describe(
    '`confirmed`: the direct effect was read back or seen; `none`: the action only reads, or had no effect; `unverifiable`: input was sent, and its effect could not be seen',
  );

/** Maximum length of `effectReason`, in characters. */
export const MAX_EFFECT_REASON = 500;

/** Fields of each event and view that reports the result of an action or a step. */
export const resultFields = {
  outcome: outcomeSchema,
  effect: effectSchema,
  effectReason: z
    .string()
    .max(MAX_EFFECT_REASON)
    .optional()
    .describe('Reason why the effect could not be seen, or why there was none; missing: no check exists for it'),
};

/** Result of an action or a step. */
export const resultSchema = z.object(resultFields);
export type Result = z.infer<typeof resultSchema>;

/** Effect of an action that completed. */
export type ActionEffect = Pick<Result, 'effect' | 'effectReason'>;

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
