import { z } from 'zod';
import { modelRoles, type ModelRole } from './model.ts';

/** A model with whose wire protocol it speaks. Its name may become a part of a URL at the provider: each part begins with a letter or a digit. */
export const modelNameSchema = z
  .string()
  .max(200)
  .regex(
    /^(gemini|openai|anthropic)(\/[A-Za-z0-9][\w.:@+-]*)+$/,
    'Write provider/model, e.g. `gemini/gemini-2.5-flash`; providers: gemini, openai (and what speaks its protocol), anthropic',
  );

/** Which model answers, and how. */
export const modelChoiceSchema = z.strictObject({
  use: z.array(modelNameSchema).min(1).max(5).describe('The first is asked; the next ones, in order, when it is away'),
  temperature: z.number().min(0).max(2).optional().describe('Where the request does not say'),
  hedgeMs: z
    .int()
    .min(100)
    .max(120_000)
    .optional()
    .describe(
      'When there is no answer after so many milliseconds a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never)',
    ),
  maxTokens: z.int().min(1).max(200_000).optional().describe('Most tokens of an answer, whatever the request says'),
});
export type ModelChoice = z.infer<typeof modelChoiceSchema>;

/** Whether each call of a model is kept, with its prompt and its answer. */
export const traceSchema = z
  .enum(['none', 'full'], { error: 'Write none or full, or leave it out' })
  .describe(
    '`full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)',
  );

const roles = Object.fromEntries(modelRoles.map((role) => [role, modelChoiceSchema.optional()])) as Record<
  ModelRole,
  z.ZodOptional<typeof modelChoiceSchema>
>;

/** The models of a project, by what they are asked for. */
export const projectModelsSchema = z
  .strictObject({
    default: modelChoiceSchema.optional().describe('For what is not named'),
    ...roles,
    trace: traceSchema.optional(),
  })
  .meta({ id: 'ProjectModels' });
export type ProjectModels = z.infer<typeof projectModelsSchema>;
