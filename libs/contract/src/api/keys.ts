import { z } from 'zod';
import { apiKeyCreatedSchema, apiKeyViewSchema, createApiKeySchema, roleSchema } from '../key/key.ts';
import { idSchema, slugSchema } from '../scalar.ts';
import { userSchema } from '../user/user.ts';
import { pageOf, pageQuery } from './query.ts';
import { defineRoute } from './route.ts';

const tag = 'API keys';

/** Who asks. */
export const currentPrincipalSchema = z
  .object({
    key: apiKeyViewSchema.nullable().describe('The API key; null for a user who is signed in'),
    user: userSchema.nullable().default(null).describe('The user who is signed in; null for an API key'),
    role: roleSchema,
    project: z.object({ id: idSchema, slug: slugSchema, name: z.string() }),
  })
  .meta({ id: 'Me' });
export type CurrentPrincipal = z.infer<typeof currentPrincipalSchema>;

export const keyRoutes = {
  createApiKey: defineRoute({
    method: 'POST',
    path: '/v1/api-keys',
    tag,
    summary: 'Make an API key',
    description: 'The key is in this answer and never again; what is stored is its hash.',
    role: 'admin',
    body: createApiKeySchema,
    audit: { body: ['name', 'role', 'expiresIn'] },
    responses: { 201: { description: 'The key', schema: apiKeyCreatedSchema } },
  }),
  listApiKeys: defineRoute({
    method: 'GET',
    path: '/v1/api-keys',
    tag,
    summary: 'List the API keys of the project, the newest first',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of keys', schema: pageOf(apiKeyViewSchema, 'ApiKeyPage') } },
  }),
  revokeApiKey: defineRoute({
    method: 'DELETE',
    path: '/v1/api-keys/{key}',
    tag,
    summary: 'Revoke an API key',
    description: 'From now on it opens nothing. A key that was revoked before stays so.',
    role: 'admin',
    params: z.object({ key: idSchema.describe('Id of the key') }),
    audit: { answer: ['name', 'role'] },
    responses: { 200: { description: 'The key, revoked', schema: apiKeyViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  readMe: defineRoute({
    method: 'GET',
    path: '/v1/me',
    tag,
    summary: 'Read who the key or the session says you are',
    role: 'viewer',
    responses: { 200: { description: 'Key or user, role and project', schema: currentPrincipalSchema } },
  }),
} as const;
