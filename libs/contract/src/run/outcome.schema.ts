import { z } from 'zod';
import { effects, MAX_EFFECT_REASON, outcomes } from './outcome.ts';

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
