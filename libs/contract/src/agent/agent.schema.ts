import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { jsonSchema } from '../primitives.schema.ts';

/** Expected result of the actions of a turn, as the model states it. */
export const expectationSchema = z
  .object({
    anchor: z.string().nullable().describe('What the title or the address has in it then; null: nothing is said'),
    indicators: z.array(z.string()).readonly().describe('Texts that the page shows then'),
  })
  .meta({ id: 'Expectation', description: 'What a turn of an agent is to lead to' });
export type Expectation = z.infer<typeof expectationSchema>;

/* The action cache: actions that agents repeat in later runs of a workflow. */

/** SHA-256, hex. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** One cached action. Elements are indexes into the element list, from 0; run inputs are templates. */
export const cachedActionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('act'), action: actionSchema, expects: expectationSchema.optional() }),
  z.object({ kind: z.literal('read') }),
  z.object({
    kind: z.literal('done'),
    claim: z.object({ answer: jsonSchema, anchor: z.string().nullable(), indicators: z.array(z.string()) }),
  }),
]);
export type CachedAction = z.infer<typeof cachedActionSchema>;

/** Maximum size of a cached turn, in characters of JSON. */
const MAX_TURN = 16_000;

/** Actions of an agent on one page. */
export const cachedTurnSchema = z
  .array(cachedActionSchema)
  .min(1)
  .max(8)
  .refine((actions) => JSON.stringify(actions).length <= MAX_TURN, { error: 'Too long to be remembered' });
export type CachedTurn = z.infer<typeof cachedTurnSchema>;

/** Maximum number of cached turns of one step. */
export const MAX_CACHED_TURNS = 50;
