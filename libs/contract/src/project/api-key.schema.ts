import { z } from 'zod';
import { idSchema, timestampSchema, slugSchema } from '../primitives.schema.ts';

/** Roles: a viewer reads, an operator submits and cancels runs, an admin publishes workflows and manages keys and fleets. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(roles).meta({ id: 'Role' });
export type Role = z.infer<typeof roleSchema>;

/** Whether a role includes another. Each role includes all lower ones. */
export const roleIncludes = (role: Role, required: Role) => roles.indexOf(role) >= roles.indexOf(required);

/** Body of `POST /v1/api-keys`. */
export const createApiKeySchema = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Who or what uses it'),
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
    prefix: z.string().describe('How the key begins'),
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
