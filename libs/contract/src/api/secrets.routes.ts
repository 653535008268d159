import { z } from 'zod';
import { projectSecretViewSchema, saveSecretSchema, secretNameSchema } from '../project/project-secret.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Secrets';
const params = z.object({ secret: secretNameSchema.describe('Name of the secret') });

export const secretRoutes = {
  listSecrets: defineRoute({
    method: 'GET',
    path: '/v1/secrets',
    tag,
    summary: 'List secrets by name',
    description:
      'A run uses a secret by name: give `{ "secret": "portal-password" }` as the value of a secret input. Values are never returned.',
    role: 'viewer',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of secrets', schema: pageOf(projectSecretViewSchema, 'SecretPage') } },
  }),
  saveSecret: defineRoute({
    method: 'PUT',
    path: '/v1/secrets/{secret}',
    tag,
    summary: 'Create a secret or replace its value',
    description:
      'Queued and recovered runs get the new value: a worker fetches a secret when it first types or masks it. Without `description` the previous one stays.',
    role: 'admin',
    params,
    body: saveSecretSchema,
    audit: { body: ['description'], answer: ['version'] },
    responses: { 200: { description: 'The secret, without its value', schema: projectSecretViewSchema } },
  }),
  deleteSecret: defineRoute({
    method: 'DELETE',
    path: '/v1/secrets/{secret}',
    tag,
    summary: 'Delete a secret',
    description:
      'New runs that name it are refused. An open run fails at the step that types it, or earlier if it must mask it: when it recovers, and before a model call.',
    role: 'admin',
    params,
    audit: { answer: ['version'] },
    responses: { 200: { description: 'The deleted secret, without its value', schema: projectSecretViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
