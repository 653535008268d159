import { z } from 'zod';
import { jsonSchema, surfaceKindSchema } from '../primitives.schema.ts';
import {
  computerToolChoiceSchema,
  disabledSafetyPoliciesSchema,
  nativeExchangeSchema,
  nativeTurnSchema,
} from './native-turn.schema.ts';
import { tiers } from './tier-names.ts';

/* Requests to models and their answers, independent of providers. The adapters in libs/model translate them. */

/** Role of a model call. Each role may use another model. */
export const modelRoleSchema = z
  .enum(['plan', 'act', 'vision', 'verify', 'synthesize', 'score'])
  .describe(
    '`plan`: subgoals of a goal; `act`: next actions; `vision`: content of a screenshot; `verify`: result of a step; `synthesize`: workflows from recordings; `score`: quality of a result',
  );
export type ModelRole = z.infer<typeof modelRoleSchema>;
export const modelRoles = modelRoleSchema.options;

export const tierSchema = z
  .enum(tiers)
  .meta({ id: 'Tier' })
  .describe(
    '`replay`: without a model; `text`: with the element list; `vision`: with screenshots; `replan`: with a new plan; `human`: by a person',
  );

/** Tier of a call to a model. */
export const callTierSchema = tierSchema.extract(['text', 'vision', 'replan']);
export type CallTier = z.infer<typeof callTierSchema>;

/** Maximum size of an image in a request, in base64 characters: about 1.1 MB of JPEG. */
export const MAX_MODEL_IMAGE_CHARS = 1_500_000;

/** Maximum size of a request with its images, in bytes of JSON. It must fit into one message of the worker protocol. */
export const MAX_MODEL_REQUEST_BYTES = 3_500_000;

/** Maximum number of concurrent model calls of a run, e.g. of agents in branches. */
export const MAX_PARALLEL_MODEL_CALLS = 4;

/** Default time limit of a model call with its retries, in milliseconds. `timeoutSeconds` of endpoints and models replaces it. */
export const MODEL_TIMEOUT_MS = 120_000;

/** Maximum milliseconds that a caller waits for a model call, and maximum of `timeoutSeconds`. */
export const MAX_MODEL_TIMEOUT_MS = 600_000;

const toolNameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'Use 1 to 64 letters, digits, underscores and hyphens, starting with a letter or underscore',
  );

/** A JSON Schema of an object, e.g. `{"type":"object","properties":{...},"required":[...]}`. */
const objectSchema = z.record(z.string(), jsonSchema);

/** A function call by a model. */
export const modelCallSchema = z.object({
  name: z.string().min(1).max(200),
  args: z.record(z.string(), jsonSchema),
  signature: z.string().max(200_000).optional().describe('Opaque value of the provider, returned to it with the call'),
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
  z.strictObject({ call: modelCallSchema }).describe('Function call, in messages of the model'),
  z
    .strictObject({ result: z.strictObject({ name: z.string().min(1).max(200), value: jsonSchema }) })
    .describe('Result of a function call, in messages of the user'),
] as const;

/** A part of a message. Calls and results correspond by order: the n-th result answers the n-th call of the previous message. */
export const modelPartSchema = z.union(partSchemas);
export type ModelPart = z.infer<typeof modelPartSchema>;

/** A part as a worker sends it. An image of the previous request on the connection is sent as its index. */
const sentPartSchema = z.union([
  ...partSchemas,
  z
    .strictObject({ sentImage: z.int().min(0).max(199) })
    .describe('Index of the image in the previous request of the attempt on this connection, from 0'),
]);

const messageOf = <Part extends z.ZodType>(part: Part) =>
  z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1).max(200) });

export const modelMessageSchema = messageOf(modelPartSchema);
export type ModelMessage = z.infer<typeof modelMessageSchema>;

/** A function that a model may call. */
export const modelToolSchema = z.strictObject({
  name: toolNameSchema,
  description: z.string().max(4000),
  parameters: objectSchema.describe('JSON Schema of the arguments, of type object'),
});
export type ModelTool = z.infer<typeof modelToolSchema>;

/** Name and version of a prompt. */
export const promptRefSchema = z.strictObject({
  name: z.string().min(1).max(100).describe('Name of the prompt'),
  version: z.int().min(1).describe('Version of the prompt'),
});
export type PromptRef = z.infer<typeof promptRefSchema>;

/** Format in which a model writes actions: function calls or text. Each text format has a parser in `libs/core/src/agent/dialects`. */
export const dialectSchema = z
  .enum(['calls', 'aura', 'deskpilot', 'echo-prism', 'ui-tars', 'ui-tars-1.5'], {
    error: 'Use calls, aura, deskpilot, echo-prism, ui-tars or ui-tars-1.5, or remove the field',
  })
  .describe(
    '`calls`: function calls. The other formats send no functions; the prompt describes how to write actions. `aura`: JSON, for most models. The others are the formats of the models with that name',
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
      surface: surfaceKindSchema.optional().describe('Surface that executes the function calls (default: a browser)'),
      tools: z.array(modelToolSchema).min(1).max(128).optional().describe('Functions that the model may call'),
      computer: z
        .strictObject({
          surface: surfaceKindSchema,
          replaces: z.array(toolNameSchema).max(20).describe('Names of replaced tools'),
          adds: z
            .array(modelToolSchema)
            .max(20)
            .optional()
            .describe('Functions that are offered beside the tool: actions that it does not have'),
          tool: computerToolChoiceSchema.optional().describe('Tool to use (default: the known tool of the model)'),
          screen: z
            .strictObject({ width: z.int().min(1), height: z.int().min(1) })
            .optional()
            .describe('Pixels of the last image; missing: the request has none'),
          page: z
            .strictObject({
              url: z.string(),
              title: z.string(),
              tabs: z
                .array(
                  z.strictObject({
                    url: z.string(),
                    title: z.string(),
                    isCurrent: z.boolean(),
                    isNew: z.boolean().describe('true: opened by the last turn'),
                  }),
                )
                .max(50)
                .optional()
                .describe('Open tabs in the order of opening; missing: only one'),
            })
            .optional()
            .describe('Page of a browser that is in view'),
          exchanges: z
            .array(nativeExchangeSchema)
            .max(10)
            .optional()
            .describe('Last turns with the tool, oldest first. A model with another tool reads `messages` alone'),
          disabledSafetyPolicies: disabledSafetyPoliciesSchema.optional(),
        })
        .optional()
        .describe('Replaces some tools by the computer tool of the provider, if the model has one'),
      schema: objectSchema.optional().describe('JSON Schema of the answer. The text of the answer is then JSON'),
      maxTokens: z.int().min(1).max(200_000).optional().describe('Maximum tokens of the answer (default: 4096)'),
      temperature: z
        .number()
        .min(0)
        .max(2)
        .optional()
        .describe('Temperature (default: that of the model). Some models do not support it'),
      dialect: dialectSchema
        .optional()
        .describe('Text format of function calls (default: the known format of the model)'),
    })
    .refine(({ tools, schema }) => !tools || !schema, {
      error: 'Give either `tools` or `schema`: a model with a schema calls no functions',
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
 * Reason why a model stopped. It finished, called functions, or reached `maxTokens` (the text is cut), or the provider
 * blocked the answer.
 */
export const modelFinishSchema = z.enum(['stop', 'length', 'safety', 'calls']);
export type ModelFinish = z.infer<typeof modelFinishSchema>;

/** Tokens of a call. */
export const modelUsageSchema = z.object({
  inputTokens: z.int().min(0).describe('Input tokens, including cached ones'),
  outputTokens: z.int().min(0).describe('Output tokens, including hidden reasoning'),
  cachedTokens: z.int().min(0).describe('Input tokens that the provider read from its cache'),
  estimated: z
    .literal(true)
    .optional()
    .describe('The endpoint counts no tokens; a third of the characters is used instead'),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Lines that were left out of a prompt that did not fit into the context window of its model. */
export const shortenedPromptSchema = z
  .object({
    historyLines: z.int().min(0).describe('Oldest lines of the history, and lines of earlier pages'),
    pageLines: z.int().min(0).describe('Last lines of the page'),
  })
  .describe('Lines that were left out of the prompt, because it did not fit into the context window');

export const modelAnswerSchema = z.object({
  text: z
    .string()
    .describe(
      'Text of the answer, or empty. With `schema` it is valid JSON unless `finish` is `length`. The caller validates it against the schema',
    ),
  calls: z.array(modelCallSchema),
  native: nativeTurnSchema.optional().describe('The turn of a model that used its computer tool; missing: it did not'),
  finish: modelFinishSchema,
  provider: z.string(),
  model: z.string().describe('Name of the model at the provider'),
  dialect: dialectSchema
    .optional()
    .catch(undefined)
    .describe('Text format of function calls in the request; missing: unknown, or no tools'),
  schemaMode: z
    .enum(['prompt'])
    .optional()
    .catch(undefined)
    .describe(
      '`prompt`: the endpoint does not support schemas. The schema was in the prompt, and the gateway validated the answer',
    ),
  usage: modelUsageSchema,
  usd: z.number().min(0).nullable().describe('Price of the call in US dollars; null: the price is not known'),
  shortened: shortenedPromptSchema.optional(),
  durationMs: z.number().min(0).describe('Milliseconds until the answer was complete, including retries and waits'),
});
export type ModelAnswer = z.infer<typeof modelAnswerSchema>;
