import { z } from 'zod';
import { idSchema, jsonSchema, timestampSchema } from '../primitives.schema.ts';
import { actorSchema } from '../project/actor.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

/** One change: actor, operation, target, time and client address. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    at: timestampSchema,
    actor: actorSchema.describe(
      'Key or user that made the request; for `signInFailed`, the user whose password was wrong',
    ),
    action: z.string().describe('Name of the operation, e.g. `createApiKey`, or `signInFailed`'),
    summary: z.string().describe('Summary of the operation'),
    resource: z
      .string()
      .nullable()
      .describe('Collection of the operation, e.g. `runs` for `/v1/runs/{run}/retry`; null: the operation is unknown'),
    target: z.string().nullable().describe('Id or name of the changed or created resource'),
    details: z.record(z.string(), jsonSchema).describe('Relevant fields of request and response'),
    before: z.record(z.string(), jsonSchema).nullable().describe('Values before the change; null: not known'),
    after: z.record(z.string(), jsonSchema).nullable().describe('The same values after the change'),
    address: z.string().describe('Client address'),
    request: z.string().describe('Id of the request, for the logs'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const listAuditQuery = z.object({
  ...pageQuery,
  actor: idSchema.optional().describe('Only entries of this user or key'),
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
    summary: 'List audit entries, newest first',
    description:
      'Changes in the project, and actions of its members outside of projects: sign-in, failed sign-in, sign-out, password changes, new projects. Runs that API keys submit are not recorded.',
    role: 'admin',
    query: listAuditQuery,
    responses: { 200: { description: 'A page of entries', schema: pageOf(auditEntrySchema, 'AuditPage') } },
  }),
} as const;
