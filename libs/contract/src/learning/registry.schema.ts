import { z } from 'zod';
import { actorSchema } from '../project/actor.schema.ts';
import { modelNameSchema } from '../model/model-settings.schema.ts';
import { dialectSchema, modelRoleSchema } from '../model/model.schema.ts';
import { idSchema, jsonSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';

/** Stage of a registered model. */
export const registryStageSchema = z
  .enum(['registered', 'shadow', 'canary', 'active', 'rolled_back', 'retired'])
  .meta({ id: 'RegistryStage' })
  .describe(
    '`registered`: not used; `shadow`: answers a share of the calls a second time, without effect on runs; `canary`: used by a share of the runs; `active`: used by all runs; `rolled_back`: removed by Pilothouse or a person; `retired`: replaced by another active model',
  );
export type RegistryStage = z.infer<typeof registryStageSchema>;

/** Body of `POST /v1/registry/models`. */
export const registerModelSchema = z
  .strictObject({
    name: slugSchema.describe('Name in the registry'),
    model: modelNameSchema.describe('The model, as `endpoint/model`'),
    base: modelNameSchema
      .optional()
      .describe(
        'Base model: the fallback when the model is unavailable, and the source of unknown prices and capabilities',
      ),
    role: modelRoleSchema
      .optional()
      .describe('Only for calls of this role (default: all roles except `score` and `synthesize`)'),
    surface: surfaceKindSchema.optional().describe('Only for runs on this surface (default: all surfaces)'),
    dialect: dialectSchema.optional().describe('Text format of actions that the model was tuned to write'),
    region: z.string().max(100).optional().describe('Region of the model, for information'),
    description: z.string().max(1000).optional(),
    dataset: idSchema.optional().describe('Dataset that the model was tuned with'),
    job: idSchema.optional().describe('Job that tuned the model'),
    metrics: z.record(z.string().max(100), jsonSchema).default({}).describe('Results of evaluations, by name'),
  })
  .refine(({ model, base }) => model !== base, { error: 'A model cannot be its own base', path: ['base'] })
  .meta({ id: 'RegisterModel' });
export type RegisterModel = z.infer<typeof registerModelSchema>;

/** Finished runs of one canary arm. */
export const armStatsSchema = z
  .object({
    successes: z.int().min(0).describe('Completed runs'),
    trials: z.int().min(0).describe('Completed and failed runs'),
    low: z.number().describe('Lower bound of the 95 % interval of the success rate'),
    high: z.number().describe('Upper bound of the 95 % interval of the success rate'),
  })
  .meta({ id: 'ArmStats' });
export type ArmStats = z.infer<typeof armStatsSchema>;

/** Result of a shadow call. `undetermined`: an element and a point cannot be compared. */
export const shadowResultSchema = z.enum(['agreed', 'disagreed', 'undetermined', 'failed']);
export type ShadowResult = z.infer<typeof shadowResultSchema>;

/** Calls of a model in the stage `shadow`, compared with the answers that runs used. */
export const shadowStatsSchema = z
  .object({
    calls: z.int().min(0).describe('The last calls, at most 10,000'),
    agreed: z.int().min(0).describe('Calls whose first action has the same kind, target and arguments'),
    disagreed: z.int().min(0),
    undetermined: z.int().min(0).describe('Targets that cannot be compared: an element and a point'),
    failed: z.int().min(0).describe('Calls without a usable response'),
    low: z.number().describe('Lower bound of the 95 % interval of agreed / (agreed + disagreed)'),
    high: z.number().describe('Upper bound of the 95 % interval'),
    inputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    usd: z.number().min(0).describe('US dollars of calls with a known price'),
    medianMs: z.int().min(0).nullable().describe('Time until a response; null: no response'),
  })
  .meta({ id: 'ShadowStats' });
export type ShadowStats = z.infer<typeof shadowStatsSchema>;

/** A change of the stage of a registered model. */
export const registryTransitionSchema = z
  .object({
    from: registryStageSchema,
    to: registryStageSchema,
    canaryPercent: z.int().nullable().describe('With `canary`: share of the runs in percent'),
    shadowPercent: z.int().nullable().describe('With `shadow`: share of the calls in percent'),
    reason: z.string().nullable(),
    by: actorSchema.nullable().describe('User or key; null: Pilothouse'),
    at: timestampSchema,
  })
  .meta({ id: 'RegistryTransition' });
export type RegistryTransition = z.infer<typeof registryTransitionSchema>;

/** A model of the registry. */
export const registeredModelSchema = z
  .object({
    id: idSchema,
    name: slugSchema,
    model: modelNameSchema,
    base: modelNameSchema.nullable(),
    role: modelRoleSchema.nullable().describe('null: all roles except `score` and `synthesize`'),
    surface: surfaceKindSchema.nullable().describe('null: all surfaces'),
    dialect: dialectSchema.nullable(),
    region: z.string().nullable(),
    description: z.string().nullable(),
    dataset: idSchema.nullable(),
    job: idSchema.nullable(),
    metrics: z.record(z.string(), jsonSchema),
    stage: registryStageSchema,
    canaryPercent: z.int().nullable().describe('With `canary`: share of the runs in percent'),
    shadowPercent: z.int().nullable().describe('With `shadow`: share of the calls in percent'),
    stageChangedAt: timestampSchema,
    createdBy: actorSchema.nullable(),
    createdAt: timestampSchema,
    runs: z
      .object({
        candidate: armStatsSchema.describe('The last runs with the model'),
        base: armStatsSchema.describe('Runs without the model that it is compared with'),
      })
      .nullable()
      .describe('Success of runs with and without the model; null in other stages than `canary` and `active`'),
    shadow: shadowStatsSchema
      .nullable()
      .describe(
        'Calls of the stage `shadow`; null: there was none. In a list, only models in the stage `shadow` have it',
      ),
    transitions: z.array(registryTransitionSchema).describe('The last changes of the stage, newest first'),
  })
  .meta({ id: 'RegisteredModel' });
export type RegisteredModel = z.infer<typeof registeredModelSchema>;
