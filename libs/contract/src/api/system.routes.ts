import { z } from 'zod';
import { defineRoute } from './route-definition.ts';

const tag = 'System';

const partSchema = z
  .object({ ok: z.boolean(), detail: z.string().describe('Result in one sentence') })
  .meta({ id: 'DependencyCheck' });

/** Health of the dependencies of the API. Only the database decides about readiness. */
export const readinessSchema = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not ready'])
      .describe(
        '`degraded`: requests are served, but Redis or the object store is not usable. `not ready`: the database is not usable',
      ),
    checks: z.object({ database: partSchema, redis: partSchema, objects: partSchema }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readinessSchema>;

const healthSchema = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    installation: z.string().describe('Identifies the installation. All replicas have the same value'),
  })
  .meta({ id: 'Health' });

const anyJson = z.record(z.string(), z.unknown());

export const systemRoutes = {
  readHealth: defineRoute({
    method: 'GET',
    path: '/healthz',
    tag,
    summary: 'Check that the process is alive',
    role: 'public',
    responses: { 200: { description: 'The process is alive', schema: healthSchema } },
  }),
  readReadiness: defineRoute({
    method: 'GET',
    path: '/readyz',
    tag,
    summary: 'Check database, Redis and object store',
    role: 'public',
    responses: {
      200: {
        description: 'The database is usable. A failed check of another dependency has the reason in its `detail`',
        schema: readinessSchema,
      },
      503: { description: 'The database is not usable. Its `detail` has the reason', schema: readinessSchema },
    },
  }),
  readMetrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    tag,
    summary: 'Read metrics for Prometheus',
    role: 'public',
    responses: { 200: { description: 'The metrics', types: { 'text/plain': null } } },
  }),
  readOpenApi: defineRoute({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'Read the OpenAPI document',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'An OpenAPI 3.1 document', schema: anyJson } },
  }),
  readWorkflowSchema: defineRoute({
    method: 'GET',
    path: '/schemas/workflow.json',
    tag,
    summary: 'Read the JSON Schema of workflow files',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'A JSON Schema', types: { 'application/schema+json': anyJson } } },
  }),
  readDocs: defineRoute({
    method: 'GET',
    path: '/docs',
    tag,
    summary: 'Open the API documentation',
    description: 'For browsers: enter any user name, and an API key as password.',
    role: 'viewer',
    basic: true,
    responses: { 200: { description: 'A page', types: { 'text/html': null } } },
  }),
  readDocsAsset: defineRoute({
    method: 'GET',
    path: '/docs/{asset}',
    tag,
    summary: 'Read a file of the API documentation',
    role: 'viewer',
    basic: true,
    params: z.object({ asset: z.string().max(100).describe('Name of the file') }),
    responses: { 200: { description: 'The file', types: { 'text/css': null, 'text/javascript': null } } },
    errors: ['NOT_FOUND'],
  }),
} as const;
