import { z } from 'zod';
import { idSchema, jsonSchema, timestampSchema } from '../primitives.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

/** The API key or user that made a request. */
export const actorSchema = z
  .object({
    kind: z.enum(['key', 'user']),
    id: idSchema,
    name: z.string().describe('Name of the key or address of the user, as it was then'),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof actorSchema>;

/** One change: actor, operation, target, time and client address. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    at: timestampSchema,
    actor: actorSchema.describe('Who did it; for `signInFailed`, the user whose password was wrong'),
    action: z.string().describe('Name of the operation, e.g. `createApiKey`; `signInFailed` is none'),
    summary: z.string().describe('What it does, in words'),
    target: z.string().nullable().describe('Id or name of the thing it was done to, or that came of it'),
    details: z.record(z.string(), jsonSchema).describe('What was said or answered, where it matters'),
    before: z.record(z.string(), jsonSchema).nullable().describe('Values before the change; null: not known'),
    after: z.record(z.string(), jsonSchema).nullable().describe('The same values after the change'),
    address: z.string().describe('Where the request came from'),
    request: z.string().describe('Id of the request, for the logs'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const listAuditQuery = z.object({
  ...pageQuery,
  actor: idSchema.optional().describe('Only what this user or key did'),
  action: z.string().max(100).optional().describe('Only this operation, e.g. `createApiKey`'),
  target: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Only entries about this resource, including the entry that created it: the id, or the name that the request used',
    ),
});
export type ListAuditQuery = z.output<typeof listAuditQuery>;

export const auditRoutes = {
  listAudit: defineRoute({
    method: 'GET',
    path: '/v1/audit',
    tag: 'Users',
    summary: 'List who changed what, the newest first',
    description:
      'What was done in the project, and what its members did in none: signing in and out, and failing to, changing their password, making projects. ' +
      'Runs that keys submit are not in it.',
    role: 'admin',
    query: listAuditQuery,
    responses: { 200: { description: 'A page of entries', schema: pageOf(auditEntrySchema, 'AuditPage') } },
  }),
} as const;
