import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { jsonSchema } from '../primitives.schema.ts';

/** Expected result of a turn's actions, as the model states it. */
export const expectationSchema = z
  .object({
    anchor: z.string().nullable().describe('Part of the title or URL that the page then has; null: not stated'),
    indicators: z.array(z.string()).readonly().describe('Texts that the page then shows'),
  })
  .meta({ id: 'Expectation', description: 'Expected result of a turn of an agent' });
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
const MAX_TURN_CHARS = 16_000;

/** Actions of an agent on one page. */
export const cachedTurnSchema = z
  .array(cachedActionSchema)
  .min(1)
  .max(8)
  .refine((actions) => JSON.stringify(actions).length <= MAX_TURN_CHARS, {
    error: `A cached turn can have at most ${MAX_TURN_CHARS} characters of JSON: do not cache it`,
  });
export type CachedTurn = z.infer<typeof cachedTurnSchema>;

/** Cost of one model call. */
export const callCostSchema = z
  .object({
    tokens: z.int().min(0).describe('Input and output tokens'),
    usd: z.number().min(0).nullable().describe('US dollars; null: the price is not known'),
    durationMs: z.int().min(0).describe('Milliseconds until the answer was complete'),
  })
  .meta({ id: 'CallCost' });
export type CallCost = z.infer<typeof callCostSchema>;

/** Maximum cached turns of one step. */
export const MAX_CACHED_TURNS = 50;
