import { z } from 'zod';
import { jsonSchema, surfaceKindSchema } from '../primitives.schema.ts';

/* Requests to models and their answers, independent of providers. The adapters in libs/model translate them. */

/** Role of a model call. Each role may use another model. */
export const modelRoleSchema = z
  .enum(['plan', 'act', 'vision', 'verify', 'synthesize', 'score'])
  .describe(
    '`plan`: which steps lead to a goal; `act`: the next actions; `vision`: what a screenshot shows; `verify`: whether a step worked; `synthesize`: turns recordings into workflows; `score`: how good a result is',
  );
export type ModelRole = z.infer<typeof modelRoleSchema>;
export const modelRoles = modelRoleSchema.options;

/** How a step was executed, cheapest tier first. */
export const tiers = ['replay', 'text', 'vision', 'replan', 'human'] as const;
export const tierSchema = z
  .enum(tiers)
  .meta({ id: 'Tier' })
  .describe(
    '`replay`: without a model; `text`: by the list of elements; `vision`: by screenshots; `replan`: another way was planned; `human`: by a person',
  );
export type Tier = (typeof tiers)[number];

/** Tier of a call to a model. */
export const callTierSchema = tierSchema.extract(['text', 'vision', 'replan']);
export type CallTier = z.infer<typeof callTierSchema>;

/** Longest image of a request, in characters of base64: about 1.1 MB of JPEG. */
export const MAX_MODEL_IMAGE_CHARS = 1_500_000;

/** Largest request, in bytes of JSON with its images; it has to fit into one message of the worker protocol. */
export const MAX_MODEL_REQUEST_BYTES = 3_500_000;

/** Calls of one run at a time, e.g. of agents in branches. */
export const MAX_PARALLEL_MODEL_CALLS = 4;

/** Default timeout of a model call in milliseconds. */
export const MODEL_TIMEOUT_MS = 120_000;

const toolNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'Use letters, digits, underscores and hyphens, at most 64');

/** A JSON Schema of an object, e.g. `{"type":"object","properties":{...},"required":[...]}`. */
const objectSchema = z.record(z.string(), jsonSchema);

/** A function that a model wants called. */
export const modelCallSchema = z.object({
  name: z.string().min(1).max(200),
  args: z.record(z.string(), jsonSchema),
  signature: z
    .string()
    .max(200_000)
    .optional()
    .describe('What the provider wants to see again when the call is sent back to it'),
});
export type ModelCall = z.infer<typeof modelCallSchema>;

const partSchemas = [
  z.strictObject({ text: z.string().max(500_000) }),
  z.strictObject({
    image: z.strictObject({
      contentType: z.literal('image/jpeg'),
      data: z.base64().min(1).max(MAX_MODEL_IMAGE_CHARS).describe('Base64'),
    }),
  }),
  z.strictObject({ call: modelCallSchema }).describe('What the model wanted called; in messages of the model'),
  z
    .strictObject({ result: z.strictObject({ name: z.string().min(1).max(200), value: jsonSchema }) })
    .describe('What came of a call; in messages of the user'),
] as const;

/** A part of a message. Calls and results belong to each other in order: the n-th result answers the n-th call of the message before. */
export const modelPartSchema = z.union(partSchemas);
export type ModelPart = z.infer<typeof modelPartSchema>;

/** A part as a worker sends it. An image of the previous request on the connection is sent as its index. */
const sentPartSchema = z.union([
  ...partSchemas,
  z
    .strictObject({ sentImage: z.int().min(0).max(199) })
    .describe('Which image it is of the request that the attempt sent before on this connection, from 0'),
]);

const messageOf = <Part extends z.ZodType>(part: Part) =>
  z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1).max(200) });

export const modelMessageSchema = messageOf(modelPartSchema);
export type ModelMessage = z.infer<typeof modelMessageSchema>;

/** A function that a model may want called. */
export const modelToolSchema = z.strictObject({
  name: toolNameSchema,
  description: z.string().max(4000),
  parameters: objectSchema.describe('JSON Schema of the arguments: an object'),
});
export type ModelTool = z.infer<typeof modelToolSchema>;

/** Which prompt was asked with: prompts are files with a version. */
export const promptRefSchema = z.strictObject({ name: z.string().min(1).max(100), version: z.int().min(1) });
export type PromptRef = z.infer<typeof promptRefSchema>;

/** Format in which a model writes actions: function calls or text. Each text format has a parser in `libs/core/src/agent/dialects`. */
export const dialectSchema = z
  .enum(['calls', 'aura', 'deskpilot', 'echo-prism', 'ui-tars', 'ui-tars-1.5'], {
    error: 'Write calls, aura, deskpilot, echo-prism, ui-tars or ui-tars-1.5, or leave it out',
  })
  .describe(
    '`calls`: function calls; otherwise no functions are sent, and words say how actions are written: `aura`: as JSON, which most models can; the others as the models of that name do',
  );
export type Dialect = z.infer<typeof dialectSchema>;
export const dialects = dialectSchema.options;

const requestOf = <Message extends z.ZodType>(message: Message) =>
  z
    .strictObject({
      role: modelRoleSchema,
      prompt: promptRefSchema,
      system: z.string().max(200_000),
      messages: z.array(message).min(1).max(200),
      surface: surfaceKindSchema
        .optional()
        .describe('Surface that carries out what it wants called (default: a browser)'),
      tools: z.array(modelToolSchema).min(1).max(128).optional().describe('Functions it may want called'),
      computer: z
        .strictObject({
          surface: surfaceKindSchema,
          replaces: z.array(toolNameSchema).max(20).describe('Names of tools that it stands in for'),
        })
        .optional()
        .describe('Offers the computer use tool of the provider instead of some tools, if the model has one'),
      schema: objectSchema.optional().describe('JSON Schema: the answer is JSON of this form, as text'),
      maxTokens: z.int().min(1).max(200_000).optional().describe('Most tokens of the answer (default: 4096)'),
      temperature: z.number().min(0).max(2).optional().describe('Default: of the model; some take none'),
      dialect: dialectSchema
        .optional()
        .describe('How it is to write what it wants called (default: as is known of the model)'),
    })
    .refine(({ tools, schema }) => !tools || !schema, {
      error: 'Give tools or schema: a model that has to answer in a form calls nothing',
      path: ['schema'],
    });

/** One model call with its whole conversation. */
export const modelRequestSchema = requestOf(modelMessageSchema);
export type ModelRequest = z.infer<typeof modelRequestSchema>;

/** A model request as a worker sends it. */
export const modelRequestMessageSchema = requestOf(messageOf(sentPartSchema));
export type ModelRequestMessage = z.infer<typeof modelRequestMessageSchema>;

/** Default maximum number of output tokens. */
export const DEFAULT_MODEL_TOKENS = 4096;

/**
 * Why a model stopped: it finished, it reached `maxTokens` and the text is cut, the provider blocked the answer, or it calls functions.
 */
export const modelFinishSchema = z.enum(['stop', 'length', 'safety', 'calls']);
export type ModelFinish = z.infer<typeof modelFinishSchema>;

/** Tokens of a call. */
export const modelUsageSchema = z.object({
  inputTokens: z.int().min(0).describe('All that was sent, cached or not'),
  outputTokens: z.int().min(0).describe('All that came back, thoughts that are not shown counted'),
  cachedTokens: z.int().min(0).describe('Those of `inputTokens` that the provider had in its cache'),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** The answer of a model. */
export const modelAnswerSchema = z.object({
  text: z
    .string()
    .describe(
      'Empty when there is none; with `schema` it parses as JSON, unless `finish` is `length`; whether it is of that form is for who asked to check',
    ),
  calls: z.array(modelCallSchema),
  finish: modelFinishSchema,
  provider: z.string(),
  model: z.string().describe('As the provider calls it'),
  dialect: dialectSchema
    .optional()
    .catch(undefined)
    .describe('How it was to write what it wants called; missing: unknown, or there were no tools'),
  schemaMode: z
    .enum(['prompt'])
    .optional()
    .catch(undefined)
    .describe(
      '`prompt`: the endpoint takes no `schema`, so words said which form is wanted, and the gateway checked it',
    ),
  usage: modelUsageSchema,
  usd: z.number().min(0).nullable().describe('Price of the call in US dollars; null: the price is not known'),
  durationMs: z.number().min(0).describe('Milliseconds until the answer was there, other tries and waiting counted'),
});
export type ModelAnswer = z.infer<typeof modelAnswerSchema>;
