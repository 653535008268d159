import { z } from 'zod';
import { idSchema, timestampSchema, slugSchema } from '../primitives.schema.ts';
import { roles } from './project-roles.ts';

export const roleSchema = z.enum(roles).meta({ id: 'Role' });

/** Body of `POST /v1/api-keys`. */
export const createApiKeySchema = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Name of the key, e.g. of the program that uses it'),
    role: roleSchema.default('operator'),
    expiresIn: z.int().min(60).max(315_360_000).optional().describe('Seconds until it expires (default: never)'),
  })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof createApiKeySchema>;

/** An API key, without the key. */
export const apiKeyViewSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    role: roleSchema,
    project: slugSchema,
    prefix: z.string().describe('Start of the key'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable(),
    lastUsedAt: timestampSchema.nullable(),
    revokedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyView = z.infer<typeof apiKeyViewSchema>;

/** A new API key: the only time the key itself is shown. */
export const apiKeyCreatedSchema = apiKeyViewSchema.extend({ key: z.string() }).meta({ id: 'ApiKeyCreated' });
export type ApiKeyCreated = z.infer<typeof apiKeyCreatedSchema>;
