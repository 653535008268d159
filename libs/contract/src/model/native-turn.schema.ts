import { z } from 'zod';
import { jsonSchema } from '../primitives.schema.ts';

/*
 * Turns of the computer tools that providers train their models for. A turn is a list of calls with ids. The provider gets its own blocks
 * back unchanged, with one result for each call.
 */

/** Computer tools of providers. Names with a date are those of Anthropic. */
export const computerToolSchema = z
  .enum([
    'computer_toolset_20260801',
    'computer_20251124',
    'browser_toolset_20260801',
    'openai_computer',
    'gemini_computer_use',
  ])
  .describe(
    '`computer_toolset_20260801`, `computer_20251124`, `browser_toolset_20260801`: tools of Anthropic; `openai_computer`: the tool `computer` of the Responses API; `gemini_computer_use`: the tool `computerUse` of Gemini',
  );
export type ComputerTool = z.infer<typeof computerToolSchema>;

/** Computer tool of a model; `none`: only functions. */
export const computerToolChoiceSchema = z.enum([...computerToolSchema.options, 'none'], {
  error: `Use ${computerToolSchema.options.join(', ')} or none, or remove the field`,
});

/** Safety policies of Gemini's computer tool that a project may disable. */
export const disabledSafetyPoliciesSchema = z
  .array(
    z.enum([
      'FINANCIAL_TRANSACTIONS',
      'SENSITIVE_DATA_MODIFICATION',
      'COMMUNICATION_TOOL',
      'ACCOUNT_CREATION',
      'DATA_MODIFICATION',
      'USER_CONSENT_MANAGEMENT',
      'LEGAL_TERMS_AND_AGREEMENTS',
    ]),
  )
  .max(7)
  .describe("Safety policies of Gemini's computer tool that are disabled (default: none)");

/** Maximum size of a turn's blocks, in JSON characters. */
export const MAX_NATIVE_TURN_CHARS = 200_000;

/** Maximum calls of a turn. */
export const MAX_NATIVE_CALLS = 50;

/** Reason of a provider to ask a person before a call is executed. */
export const safetyCheckSchema = z.strictObject({
  id: z.string().max(500).describe('Id of the check'),
  code: z.string().max(500).nullable().describe('Kind of the check; null: the provider sent none'),
  message: z.string().max(4000).nullable().describe('Text of the provider; null: it sent none'),
});
export type SafetyCheck = z.infer<typeof safetyCheckSchema>;

const nativeCallSchema = z.strictObject({
  id: z.string().max(200).nullable().describe('null: the provider sent none'),
  name: z.string().max(200).describe('Name of the function'),
  args: z.record(z.string(), jsonSchema).describe('Arguments by name'),
  toolset: z.string().max(200).nullable().describe('Family of the toolset that the call belongs to; null: none'),
  checks: z.array(safetyCheckSchema).max(20).describe('Checks that a person has to acknowledge first'),
});
export type NativeCall = z.infer<typeof nativeCallSchema>;

/** Turn of a model with a computer tool. */
export const nativeTurnSchema = z
  .strictObject({
    tool: computerToolSchema,
    blocks: z.array(jsonSchema).max(200).describe('The turn as the provider sent it: thoughts, texts and calls'),
    calls: z.array(nativeCallSchema).max(MAX_NATIVE_CALLS).describe('Calls in the order of the turn'),
  })
  .refine(({ blocks }) => JSON.stringify(blocks).length <= MAX_NATIVE_TURN_CHARS, {
    error: `A turn can have at most ${MAX_NATIVE_TURN_CHARS} characters of JSON`,
  });
export type NativeTurn = z.infer<typeof nativeTurnSchema>;

/** Result of one call. */
const nativeResultSchema = z.strictObject({
  id: z.string().max(200),
  name: z.string().max(200),
  toolset: z.string().max(200).nullable(),
  text: z.string().max(50_000),
  isError: z.boolean(),
  hasImage: z.boolean().describe('true: the screenshot belongs to this result'),
  zoom: z.int().min(0).max(199).optional().describe('Index of the image in the request that shows the enlarged region'),
  acknowledged: z.array(safetyCheckSchema).max(20).describe('Checks that a person acknowledged'),
});
export type NativeResult = z.infer<typeof nativeResultSchema>;

/** An earlier turn with the results of its calls, in the order of the calls. */
export const nativeExchangeSchema = z.strictObject({
  turn: nativeTurnSchema,
  results: z.array(nativeResultSchema).max(MAX_NATIVE_CALLS),
  screenshot: z
    .int()
    .min(0)
    .max(199)
    .nullable()
    .describe('Index of the image in the request that shows the screen after the turn; null: none'),
});
export type NativeExchange = z.infer<typeof nativeExchangeSchema>;

/** Kinds of results. `steps`: that of the actions; `note`: a decision, e.g. that the goal is not met; the others describe the screen. */
export const nativeAnswerKindSchema = z.enum([
  'steps',
  'note',
  'screenshot',
  'zoom',
  'page',
  'text',
  'find',
  'pointer',
  'tabs',
]);
export type NativeAnswerKind = z.infer<typeof nativeAnswerKindSchema>;

/** A rectangle in thousandths of the screen. */
export const screenRegionSchema = z.strictObject({
  x: z.number().min(0).max(1000).describe('Left edge'),
  y: z.number().min(0).max(1000).describe('Upper edge'),
  width: z.number().positive().max(1000).describe('Width'),
  height: z.number().positive().max(1000).describe('Height'),
});
export type ScreenRegion = z.infer<typeof screenRegionSchema>;

/** Interpretation of a turn: what an agent needs to answer its calls later. */
export const nativeRecordSchema = z.strictObject({
  turn: nativeTurnSchema.describe('Turn of the model'),
  plans: z
    .array(
      z.strictObject({
        actions: z.int().min(0).max(100).describe('Number of actions'),
        answer: nativeAnswerKindSchema.describe('Kind of the result'),
        isMember: z.boolean().describe('true: a call of the tool; false: another function of the request'),
        pointer: z
          .strictObject({ x: z.number().describe('From the left'), y: z.number().describe('From the top') })
          .nullable()
          .describe('Pointer after the call, in thousandths of the screen; null: unknown'),
        region: screenRegionSchema.optional().describe('`zoom`: the enlarged region'),
      }),
    )
    .max(MAX_NATIVE_CALLS)
    .describe('Number of actions of each call, the kind of its result, and the pointer after it'),
  refusal: z.string().max(2000).nullable().describe('Reason why nothing was executed; null: the turn was accepted'),
});
export type NativeRecord = z.infer<typeof nativeRecordSchema>;
