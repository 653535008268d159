import { z } from 'zod';
import { dialectSchema, MAX_MODEL_TIMEOUT_MS, modelRoles, type ModelRole } from './model.schema.ts';
import { computerToolChoiceSchema, disabledSafetyPoliciesSchema } from './native-turn.schema.ts';

/** Built-in endpoints. Each has the name of its wire protocol. */
export const modelProtocolSchema = z.enum(['gemini', 'openai', 'anthropic'], {
  error: 'Use gemini, openai or anthropic',
});
export type ModelProtocol = z.infer<typeof modelProtocolSchema>;
export const modelProtocols = modelProtocolSchema.options;

/** Name of one of the installation's model endpoints. */
export const endpointNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'Use 1 to 31 lower-case letters, digits and hyphens, starting with a letter');

/**
 * A model at an endpoint of the installation. The name can become part of a URL at the provider, so each part begins with a letter or digit.
 */
export const modelNameSchema = z
  .string()
  .max(200)
  .regex(
    /^[a-z][a-z0-9-]{0,30}(\/[A-Za-z0-9][\w.:@+-]*)+$/,
    'Use endpoint/model, e.g. `gemini/gemini-2.5-flash`. Endpoints are gemini, openai, anthropic, and those of the installation',
  );

/** Models for a role, with their settings. */
export const modelChoiceSchema = z.strictObject({
  use: z
    .array(modelNameSchema)
    .min(1)
    .max(5)
    .describe('Models in order of preference. The next one is used when the previous one is unavailable'),
  dialect: dialectSchema
    .optional()
    .describe('Text format in which these models write actions (default: the known format of the model)'),
  computerTool: computerToolChoiceSchema
    .optional()
    .describe(
      'Computer tool of the provider for turns with a screenshot; `none`: only functions. In the role `act`, every turn has a screenshot and uses it (default: the known tool of the model)',
    ),
  disabledSafetyPolicies: disabledSafetyPoliciesSchema.optional(),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('Overrides the temperature of the prompt. Not sent to Anthropic'),
  hedgeMs: z
    .int()
    .min(100)
    .max(120_000)
    .optional()
    .describe(
      'Milliseconds without an answer before a second call is sent, to the next model if there is one. The first answer is used, and both calls are billed (default: never)',
    ),
  maxTokens: z.int().min(1).max(200_000).optional().describe('Maximum tokens of an answer'),
});
export type ModelChoice = z.infer<typeof modelChoiceSchema>;

/** Headers of every call, by name. */
export const headersSchema = z.record(z.string().regex(/^[\w-]+$/), z.string(), {
  error: 'set it to a JSON object with a string for each header',
});

/** Maximum seconds of a model call, with its retries. A worker waits no longer than 600 s. */
const timeoutSecondsSchema = z
  .int()
  .min(1)
  .max(MAX_MODEL_TIMEOUT_MS / 1000);

/** A named model endpoint. Its API key is configured separately. */
export const modelEndpointSchema = z
  .strictObject({
    protocol: modelProtocolSchema.default('openai'),
    baseUrl: z.url({ protocol: /^https?$/, error: 'set it to a URL that starts with http:// or https://' }).optional(),
    headers: headersSchema.optional(),
    callsPerMinute: z.int().min(1).max(1_000_000).optional(),
    stream: z.boolean().optional(),
    timeoutSeconds: timeoutSecondsSchema
      .optional()
      .describe('Maximum seconds of a call with its retries, or of the silence in a stream (default: 120, or 60)'),
  })
  .refine(({ protocol, baseUrl }) => protocol !== 'openai' || baseUrl !== undefined, {
    error: 'set it to the URL of the endpoint, e.g. https://api.groq.com/openai/v1',
    path: ['baseUrl'],
  });
export type NamedEndpoint = z.infer<typeof modelEndpointSchema>;

/** US dollars for a million tokens. */
export const modelPriceSchema = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z
    .number()
    .min(0)
    .optional()
    .describe('Tokens that the provider reads from its cache (default: price of `input`)'),
  cacheWrite: z
    .number()
    .min(0)
    .optional()
    .describe('Tokens that the provider writes to its cache (default: price of `input`)'),
});
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** Capabilities and price of a model. Overrides `model-capabilities.json` and `model-prices.json`. */
export const modelEntrySchema = z.strictObject({
  dialect: dialectSchema.optional(),
  computerTool: computerToolChoiceSchema.optional().describe('Computer tool of the model; `none`: only functions'),
  acceptsImages: z.boolean().optional().describe('true: the model accepts images'),
  temperature: z.boolean().optional().describe('false: the model refuses a temperature'),
  timeoutSeconds: timeoutSecondsSchema.optional().describe('Maximum seconds of a call, with its retries'),
  contextTokens: z
    .int()
    .min(1024)
    .max(100_000_000)
    .optional()
    .describe('Context window in tokens. A longer prompt is shortened before it is sent'),
  outputTokens: z.int().min(256).max(10_000_000).optional().describe('Maximum tokens of an answer'),
  minOutputTokens: z
    .int()
    .min(1)
    .max(200_000)
    .optional()
    .describe('Minimum of the output limit in requests, for models whose reasoning counts as output'),
  profile: z
    .enum(['full', 'compact'])
    .optional()
    .describe(
      'Length of the rules and functions of the agent (default: `compact` if `contextTokens` is below 16,000, else `full`)',
    ),
  price: modelPriceSchema.optional(),
  trainingUsdPerMillionTokens: z
    .number()
    .min(0)
    .optional()
    .describe('Price of training this base model in US dollars per million trained tokens (tokens × epochs)'),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** Storage of the prompt and the answer of each model call. */
export const traceSchema = z
  .enum(['none', 'full'], { error: 'Use none or full, or remove the field' })
  .describe(
    '`full`: store the prompt and the answer of each model call as artifacts, with secrets masked. The run overrides the workflow, and the workflow overrides the project (default: none)',
  );

const roles = Object.fromEntries(modelRoles.map((role) => [role, modelChoiceSchema.optional()])) as Record<
  ModelRole,
  z.ZodOptional<typeof modelChoiceSchema>
>;

/** The models of a project, by role. */
export const projectModelsSchema = z
  .strictObject({
    default: modelChoiceSchema.optional().describe('Models for roles without an entry'),
    ...roles,
    trace: traceSchema.optional(),
  })
  .meta({ id: 'ProjectModels' });
export type ProjectModels = z.infer<typeof projectModelsSchema>;
