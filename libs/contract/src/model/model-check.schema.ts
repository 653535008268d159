import { z } from 'zod';
import { dialectSchema } from './model.schema.ts';
import { modelEntrySchema, modelNameSchema } from './model-settings.schema.ts';

/* Checks of models before the first run, and the known prices. */

/** Abilities that a check calls, in order. */
export const modelAbilitySchema = z
  .enum(['text', 'functions', 'schema', 'image', 'streaming'])
  .describe(
    '`text`: an answer; `functions`: a function call; `schema`: JSON that matches a schema; `image`: the color of an image; `streaming`: an answer in parts',
  );
export type ModelAbility = z.infer<typeof modelAbilitySchema>;

export const checkModelSchema = z.strictObject({
  model: modelNameSchema
    .optional()
    .describe('The model, as `endpoint/model` (default: the first model of the installation)'),
});

const abilityResultSchema = z.object({
  ability: modelAbilitySchema,
  works: z.boolean().nullable().describe('null: unknown, because the call got no answer'),
  detail: z.string().describe('What the model answered, or the error'),
  seconds: z.number().min(0).describe('Seconds of the call'),
  tokensPerSecond: z.number().min(0).nullable().describe('Output tokens per second; null: not counted'),
});
export type AbilityResult = z.infer<typeof abilityResultSchema>;

export const modelCheckSchema = z
  .object({
    model: modelNameSchema,
    abilities: z.array(abilityResultSchema),
    dialect: dialectSchema
      .nullable()
      .describe('Recommended text format of actions; null: the model does not work, or a call got no answer'),
    settings: modelEntrySchema.describe('Entry to set in `PILOTHOUSE_MODEL_OVERRIDES`; empty: nothing'),
    tokens: z.int().min(0).describe('Tokens that the check used'),
    usd: z.number().min(0).nullable().describe('Price of the check in US dollars; null: the price is not known'),
  })
  .meta({ id: 'ModelCheck' });
export type ModelCheck = z.infer<typeof modelCheckSchema>;

const amountsSchema = z.object({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
});

export const knownPriceSchema = amountsSchema
  .extend({
    model: z.string().describe('`endpoint/model`, or a pattern of the settings'),
    above: amountsSchema
      .extend({ tokens: z.int().min(1) })
      .optional()
      .describe('Price of calls with more input tokens'),
    changes: amountsSchema.extend({ from: z.string() }).optional().describe('Announced change, and its date'),
    source: z
      .object({
        kind: z.string().describe('`provider` or `third-party`'),
        url: z.string(),
        read: z.string().describe('Date on which it was read'),
        note: z.string().optional(),
      })
      .nullable()
      .describe('null: `PILOTHOUSE_MODEL_OVERRIDES`'),
  })
  .describe('US dollars per million tokens');
export type KnownPriceView = z.infer<typeof knownPriceSchema>;

export const modelPricesSchema = z.object({ items: z.array(knownPriceSchema) }).meta({ id: 'ModelPrices' });
export type ModelPrices = z.infer<typeof modelPricesSchema>;
