import { z } from 'zod';
import { submitRunSchema } from '../run/run.schema.ts';
import { idSchema, timestampSchema, slugSchema, surfaceKindSchema } from '../primitives.schema.ts';
import {
  sourceTextSchema,
  workflowDefinitionSchema,
  workflowVersionViewSchema,
  workflowViewSchema,
} from '../workflow/workflow.schema.ts';
import { workflowStatsSchema, workflowSummarySchema } from './workflow-stats.schema.ts';
import { flagQuery, idempotencyHeaders, pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';
import { submitErrors, runSubmittedResponse } from './runs.routes.ts';

const tag = 'Workflows';
const params = z.object({ workflow: z.union([idSchema, slugSchema]).describe('Name or id of the workflow') });
const version = z.int().min(1);

/** A workflow with one of its versions. */
export const workflowDetailSchema = workflowViewSchema
  .extend({
    version: version.describe('The version shown'),
    published: z.boolean().describe('true: it is the published version'),
    versionCreatedAt: timestampSchema,
    definition: workflowDefinitionSchema,
    source: sourceTextSchema,
  })
  .meta({ id: 'WorkflowDetail' });
export type WorkflowDetail = z.infer<typeof workflowDetailSchema>;

/** Body of `POST /v1/workflows/{workflow}/publish`. */
export const publishWorkflowSchema = z
  .strictObject({ version: version.optional().describe('The version to publish (default: the newest)') })
  .meta({ id: 'PublishWorkflow' });

const { inputs, fleet, priority, budget, capture, egress, labels, model, expiresIn, parentRunId } =
  submitRunSchema.shape;

/** Body of `POST /v1/workflows/{workflow}/runs`. */
export const runWorkflowSchema = z
  .strictObject({
    version: version.optional().describe('Version to run (default: the published one)'),
    inputs,
    fleet,
    priority,
    budget,
    capture,
    egress,
    labels,
    model,
    expiresIn,
    parentRunId,
  })
  .meta({ id: 'RunWorkflow' });
export type RunWorkflow = z.infer<typeof runWorkflowSchema>;

/** Maximum size of a workflow's thumbnail, in bytes. */
export const MAX_THUMBNAIL_BYTES = 300_000;

/** Body of `PUT /v1/workflows/{workflow}/thumbnail`. */
export const workflowThumbnailSchema = z
  .strictObject({
    image: z
      .base64()
      .min(1)
      .max(
        Math.ceil(MAX_THUMBNAIL_BYTES / 3) * 4,
        `A thumbnail can have at most ${MAX_THUMBNAIL_BYTES} bytes: use a smaller image`,
      )
      .describe('JPEG, PNG or WebP in base64'),
  })
  .meta({ id: 'WorkflowThumbnail' });

/** Query of `GET /v1/workflows`. */
export const listWorkflowsQuery = z.object({
  ...pageQuery,
  archived: flagQuery.optional().describe('`true`: only archived ones (default: only those that are not)'),
  surface: surfaceKindSchema.optional().describe('Only workflows for this surface'),
  text: z.string().trim().min(1).max(200).optional().describe('Only workflows whose name or title contains this text'),
});
export type ListWorkflowsQuery = z.output<typeof listWorkflowsQuery>;

const publish = flagQuery.optional().describe('`true`: also publish the version. Needs the role `admin`');

const detail = { description: 'The workflow', schema: workflowDetailSchema };
const view = { 200: { description: 'The workflow', schema: workflowViewSchema } } as const;

export const workflowRoutes = {
  createWorkflow: defineRoute({
    method: 'POST',
    path: '/v1/workflows',
    tag,
    summary: 'Create a workflow',
    description:
      'Takes a workflow file in JSON or YAML and stores it as version 1, a draft. Until a version is published, run it by its version number.',
    role: 'operator',
    query: z.object({ publish }),
    body: workflowDefinitionSchema,
    yaml: true,
    audit: { answer: ['name', 'version'] },
    responses: { 201: { ...detail, headers: { Location: 'URL of the workflow' } } },
    errors: ['CONFLICT', 'UNSUPPORTED_MEDIA_TYPE'],
  }),
  listWorkflows: defineRoute({
    method: 'GET',
    path: '/v1/workflows',
    tag,
    summary: 'List workflows by name',
    role: 'viewer',
    query: listWorkflowsQuery,
    responses: { 200: { description: 'A page of workflows', schema: pageOf(workflowSummarySchema, 'WorkflowPage') } },
  }),
  readWorkflow: defineRoute({
    method: 'GET',
    path: '/v1/workflows/{workflow}',
    tag,
    summary: 'Read a workflow',
    role: 'viewer',
    params,
    query: z.object({
      version: z.coerce.number().int().min(1).optional().describe('Version to show (default: the newest)'),
    }),
    responses: { 200: detail },
    errors: ['NOT_FOUND'],
  }),
  updateWorkflow: defineRoute({
    method: 'PUT',
    path: '/v1/workflows/{workflow}',
    tag,
    summary: 'Add a version to a workflow',
    description:
      'Versions are immutable. A definition, and YAML text, that equals the newest version creates no new one.',
    role: 'operator',
    params,
    query: z.object({ publish }),
    body: workflowDefinitionSchema,
    yaml: true,
    audit: { answer: ['name', 'version'] },
    responses: { 200: detail },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNSUPPORTED_MEDIA_TYPE'],
  }),
  readWorkflowStats: defineRoute({
    method: 'GET',
    path: '/v1/workflows/{workflow}/stats',
    tag,
    summary: 'Read run statistics of a workflow',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The statistics', schema: workflowStatsSchema } },
    errors: ['NOT_FOUND'],
  }),
  setWorkflowThumbnail: defineRoute({
    method: 'PUT',
    path: '/v1/workflows/{workflow}/thumbnail',
    tag,
    summary: 'Set the thumbnail of a workflow',
    description: 'It replaces the last screenshot of a run.',
    role: 'operator',
    params,
    body: workflowThumbnailSchema,
    responses: { 200: { description: 'The statistics', schema: workflowStatsSchema } },
    errors: ['NOT_FOUND'],
  }),
  removeWorkflowThumbnail: defineRoute({
    method: 'DELETE',
    path: '/v1/workflows/{workflow}/thumbnail',
    tag,
    summary: 'Remove the thumbnail of a workflow',
    role: 'operator',
    params,
    responses: { 200: { description: 'The statistics', schema: workflowStatsSchema } },
    errors: ['NOT_FOUND'],
  }),
  listWorkflowVersions: defineRoute({
    method: 'GET',
    path: '/v1/workflows/{workflow}/versions',
    tag,
    summary: 'List versions of a workflow, newest first',
    role: 'viewer',
    params,
    query: z.object(pageQuery),
    responses: {
      200: { description: 'A page of versions', schema: pageOf(workflowVersionViewSchema, 'WorkflowVersionPage') },
    },
    errors: ['NOT_FOUND'],
  }),
  publishWorkflow: defineRoute({
    method: 'POST',
    path: '/v1/workflows/{workflow}/publish',
    tag,
    summary: 'Publish a version',
    description: 'New runs without a version number use it.',
    role: 'admin',
    params,
    body: publishWorkflowSchema.optional(),
    responses: view,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  archiveWorkflow: defineRoute({
    method: 'POST',
    path: '/v1/workflows/{workflow}/archive',
    tag,
    summary: 'Archive a workflow',
    description: 'It accepts no new runs or versions. Its runs remain.',
    role: 'admin',
    params,
    responses: view,
    errors: ['NOT_FOUND'],
  }),
  unarchiveWorkflow: defineRoute({
    method: 'POST',
    path: '/v1/workflows/{workflow}/unarchive',
    tag,
    summary: 'Unarchive a workflow',
    role: 'admin',
    params,
    responses: view,
    errors: ['NOT_FOUND'],
  }),
  runWorkflow: defineRoute({
    method: 'POST',
    path: '/v1/workflows/{workflow}/runs',
    tag,
    summary: 'Run a workflow',
    role: 'operator',
    params,
    headers: idempotencyHeaders,
    body: runWorkflowSchema,
    anyText: ['/inputs'],
    audit: { usersOnly: true, answer: ['id'] },
    responses: runSubmittedResponse,
    errors: submitErrors,
  }),
} as const;
