import { z } from 'zod';
import { dialectSchema, modelRoles, type ModelRole } from './model.schema.ts';

/** Endpoints that need no name of their own: each speaks the wire protocol it is called by. */
export const modelProtocolSchema = z.enum(['gemini', 'openai', 'anthropic'], {
  error: 'Write gemini, openai or anthropic',
});
export type ModelProtocol = z.infer<typeof modelProtocolSchema>;
export const modelProtocols = modelProtocolSchema.options;

/** Name of a model endpoint of the installation. */
export const endpointNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'Use small letters, digits and hyphens, at most 31, beginning with a letter');

/**
 * A model at an endpoint of the installation. Its name may become a part of a URL at the provider: each part begins with a letter or a digit.
 */
export const modelNameSchema = z
  .string()
  .max(200)
  .regex(
    /^[a-z][a-z0-9-]{0,30}(\/[A-Za-z0-9][\w.:@+-]*)+$/,
    'Write endpoint/model, e.g. `gemini/gemini-2.5-flash`; endpoints: gemini, openai, anthropic, and those that the installation has named',
  );

/** Which model answers, and how. */
export const modelChoiceSchema = z.strictObject({
  use: z.array(modelNameSchema).min(1).max(5).describe('The first is asked; the next ones, in order, when it is away'),
  dialect: dialectSchema
    .optional()
    .describe('How these models write actions, where it is otherwise than is known of them'),
  temperature: z.number().min(0).max(2).optional().describe('Instead of that of the prompt; Anthropic is sent none'),
  hedgeMs: z
    .int()
    .min(100)
    .max(120_000)
    .optional()
    .describe(
      'When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never)',
    ),
  maxTokens: z.int().min(1).max(200_000).optional().describe('Most tokens of an answer, whatever the request says'),
});
export type ModelChoice = z.infer<typeof modelChoiceSchema>;

/** Headers of every call, by name. */
export const headersSchema = z.record(z.string().regex(/^[\w-]+$/), z.string(), {
  error: 'set it to a JSON object of texts by header',
});

/** A named model endpoint. Its API key is configured separately. */
export const modelEndpointSchema = z
  .strictObject({
    protocol: modelProtocolSchema.default('openai'),
    baseUrl: z.url({ protocol: /^https?$/, error: 'set it to a URL that begins with http:// or https://' }).optional(),
    headers: headersSchema.optional(),
    callsPerMinute: z.int().min(1).max(1_000_000).optional(),
    stream: z.boolean().optional(),
  })
  .refine(({ protocol, baseUrl }) => protocol !== 'openai' || baseUrl !== undefined, {
    error: 'say where it is, e.g. https://api.groq.com/openai/v1',
    path: ['baseUrl'],
  });
export type NamedEndpoint = z.infer<typeof modelEndpointSchema>;

/** US dollars for a million tokens. */
export const modelPriceSchema = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).optional().describe('Read from the cache of the provider (default: as `input`)'),
  cacheWrite: z.number().min(0).optional().describe('Written into it (default: as `input`)'),
});
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** Capabilities and price of a model. Overrides `model-capabilities.json` and `model-prices.json`. */
export const modelEntrySchema = z.strictObject({
  dialect: dialectSchema.optional(),
  acceptsImages: z.boolean().optional().describe('Whether it takes images'),
  price: modelPriceSchema.optional(),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** Whether prompt and answer of each model call are stored. */
export const traceSchema = z
  .enum(['none', 'full'], { error: 'Write none or full, or leave it out' })
  .describe(
    '`full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)',
  );

const roles = Object.fromEntries(modelRoles.map((role) => [role, modelChoiceSchema.optional()])) as Record<
  ModelRole,
  z.ZodOptional<typeof modelChoiceSchema>
>;

/** The models of a project, by role. */
export const projectModelsSchema = z
  .strictObject({
    default: modelChoiceSchema.optional().describe('For what is not named'),
    ...roles,
    trace: traceSchema.optional(),
  })
  .meta({ id: 'ProjectModels' });
export type ProjectModels = z.infer<typeof projectModelsSchema>;
