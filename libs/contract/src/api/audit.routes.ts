import { z } from 'zod';
import { idSchema, jsonSchema, timestampSchema } from '../primitives.schema.ts';
import { auditActorSchema } from '../project/actor.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

/** Summaries of the actions that belong to no operation. */
export const unroutedAuditActions = {
  signInFailed: 'Sign-in rejected: wrong password',
  workerJoinRefused: 'Worker refused: its token is not valid for this join',
  externalWorkerJoined: 'Worker joined that no controller started',
} as const;
export type UnroutedAuditAction = keyof typeof unroutedAuditActions;

/** One change: actor, operation, target, time and client address. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    at: timestampSchema,
    actor: auditActorSchema.describe(
      'Key or user that made the request; for `signInFailed`, the user whose password was wrong; for a join, the worker',
    ),
    action: z
      .string()
      .describe(
        'Name of the operation, e.g. `createApiKey`; or `signInFailed`, `workerJoinRefused`, `externalWorkerJoined`',
      ),
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

/** Filter of the audit log. */
const auditFilter = {
  actor: z
    .string()
    .max(254)
    .optional()
    .describe('Only entries of this user or key: the id, the email address of the user, or the name of the key'),
  action: z.string().max(100).optional().describe('Only this operation, e.g. `createApiKey`'),
  target: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Only entries about this resource, including the entry that created it: the id, or the name that the request used',
    ),
  since: timestampSchema.optional().describe('Only entries at this time or later'),
  until: timestampSchema.optional().describe('Only entries earlier than this time'),
};

const listAuditQuery = z.object({ ...pageQuery, ...auditFilter });
export type ListAuditQuery = z.output<typeof listAuditQuery>;

export const auditExportFormats = ['csv', 'ndjson'] as const;
export type AuditExportFormat = (typeof auditExportFormats)[number];

const exportAuditQuery = z.object({
  ...auditFilter,
  format: z.enum(auditExportFormats).default('csv').describe('`csv`: a table; `ndjson`: one JSON object per line'),
});
export type ExportAuditQuery = z.output<typeof exportAuditQuery>;

export const auditRoutes = {
  listAudit: defineRoute({
    method: 'GET',
    path: '/v1/audit',
    tag: 'Users',
    summary: 'List audit entries, newest first',
    description:
      'Changes in the project; actions of its members outside of projects (sign-in, failed sign-in, sign-out, password changes, new projects); and for fleets that serve the project, workers that were refused or that no controller started. Runs that API keys submit are not recorded.',
    role: 'admin',
    query: listAuditQuery,
    responses: { 200: { description: 'A page of entries', schema: pageOf(auditEntrySchema, 'AuditPage') } },
  }),
  exportAudit: defineRoute({
    method: 'GET',
    path: '/v1/audit/export',
    tag: 'Users',
    summary: 'Export audit entries, newest first',
    description:
      'All entries that match the filter, as a stream. In CSV, a cell that a spreadsheet would run as a formula starts with an apostrophe.',
    role: 'admin',
    query: exportAuditQuery,
    responses: {
      200: {
        description: 'The entries',
        types: { 'text/csv': null, 'application/x-ndjson': null },
        headers: { 'Content-Disposition': 'Name of the file' },
      },
    },
    // A long log takes as long as the client reads.
    seconds: null,
  }),
} as const;
