import { z } from 'zod';
import { slugSchema, timestampSchema } from '../primitives.schema.ts';
import { actorSchema } from './actor.schema.ts';

/** Maximum length of a secret in characters. */
export const MAX_SECRET_CHARS = 32_768;

/** Name of a secret in its project. */
export const secretNameSchema = slugSchema;

/** Value of a secret input that names a secret of the project. */
export const secretReferenceSchema = z
  .strictObject({ secret: secretNameSchema.describe('Name of a secret of the project') })
  .meta({ id: 'SecretReference' });

/** Body of `PUT /v1/secrets/{secret}`. */
export const saveSecretSchema = z
  .strictObject({
    value: z
      .string()
      .min(1, 'Give a value: an empty secret is refused')
      .max(MAX_SECRET_CHARS, `Use at most ${MAX_SECRET_CHARS} characters`)
      .describe('The value. It is encrypted and never returned'),
    description: z.string().max(500).optional().describe('Text for people (default: the previous one)'),
  })
  .meta({ id: 'SaveSecret' });
export type SaveSecret = z.infer<typeof saveSecretSchema>;

/** Metadata of a secret, without its value. */
export const projectSecretViewSchema = z
  .object({
    name: secretNameSchema,
    description: z.string(),
    version: z.int().min(1).describe('Increases with each new value'),
    createdAt: timestampSchema,
    createdBy: actorSchema.nullable(),
    updatedAt: timestampSchema.describe('Time of the current value'),
    updatedBy: actorSchema.nullable(),
    lastUsedAt: timestampSchema.nullable().describe('Last time that a worker fetched it, to the minute; null: never'),
    openRuns: z.int().min(0).describe('Runs that use it and have not ended'),
    workflows: z
      .array(z.string())
      .describe('Names of the workflows that use it, among the newest 1000 runs with secrets of the project'),
  })
  .meta({ id: 'Secret', description: 'A secret of the project, without its value' });
export type ProjectSecretView = z.infer<typeof projectSecretViewSchema>;
