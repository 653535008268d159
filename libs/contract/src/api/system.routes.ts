import { z } from 'zod';
import { defineRoute } from './route-definition.ts';

const tag = 'System';

const partSchema = z
  .object({ ok: z.boolean(), detail: z.string().describe('In a sentence') })
  .meta({ id: 'DependencyCheck' });

/** Health of the dependencies of the API. */
export const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not ready']),
    checks: z.object({ database: partSchema, redis: partSchema, objects: partSchema }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readinessSchema>;

const healthSchema = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    installation: z.string().describe('The same at every replica; another one in another installation'),
  })
  .meta({ id: 'Health' });

const anyJson = z.record(z.string(), z.unknown());

export const systemRoutes = {
  readHealth: defineRoute({
    method: 'GET',
    path: '/healthz',
    tag,
    summary: 'Whether the process lives',
    role: 'public',
    responses: { 200: { description: 'It does', schema: healthSchema } },
  }),
  readReadiness: defineRoute({
    method: 'GET',
    path: '/readyz',
    tag,
    summary: 'Whether database, Redis and objects answer',
    role: 'public',
    responses: {
      200: { description: 'All answer', schema: readinessSchema },
      503: { description: 'One does not; its sentence says what is wrong', schema: readinessSchema },
    },
  }),
  readMetrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    tag,
    summary: 'Metrics for Prometheus',
    role: 'public',
    responses: { 200: { description: 'The metrics', types: { 'text/plain': null } } },
  }),
  readOpenApi: defineRoute({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'This description',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'An OpenAPI 3.1 document', schema: anyJson } },
  }),
  readWorkflowSchema: defineRoute({
    method: 'GET',
    path: '/schemas/workflow.json',
    tag,
    summary: 'JSON Schema of workflow files, for editors',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'A JSON Schema', types: { 'application/schema+json': anyJson } } },
  }),
  readDocs: defineRoute({
    method: 'GET',
    path: '/docs',
    tag,
    summary: 'This description, to read',
    description: 'In a browser give any user name, and an API key as password.',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'A page', types: { 'text/html': null } } },
  }),
  readDocsAsset: defineRoute({
    method: 'GET',
    path: '/docs/{asset}',
    tag,
    summary: 'A file of the page',
    role: 'viewer',
    basic: true,
    params: z.object({ asset: z.string().max(100).describe('Name of the file') }),
    responses: { 200: { description: 'The file', types: { 'text/css': null, 'text/javascript': null } } },
    errors: ['NOT_FOUND'],
  }),
} as const;
