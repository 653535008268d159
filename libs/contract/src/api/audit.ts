import { z } from 'zod';
import { auditEntrySchema } from '../user/audit.ts';
import { idSchema } from '../scalar.ts';
import { pageOf, pageQuery } from './query.ts';
import { defineRoute } from './route.ts';

const listAuditQuery = z.object({
  ...pageQuery,
  by: idSchema.optional().describe('Only what this user or key did'),
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
