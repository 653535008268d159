import { z } from 'zod';
import { jobKindSchema, jobSchema, jobStatusSchema } from '../job/job.schema.ts';
import { jobRoles } from '../job/job-rules.ts';
import { startEvaluationSchema } from '../learning/offline-evaluation.schema.ts';
import { idSchema } from '../primitives.schema.ts';
import { listQuery, pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Background jobs';

/** Query of `GET /v1/learning/jobs`. */
export const listJobsQuery = z.object({
  ...pageQuery,
  kind: listQuery(jobKindSchema).describe('Only jobs of these kinds'),
  status: listQuery(jobStatusSchema).describe('Only jobs with one of these statuses'),
});
export type ListJobsQuery = z.output<typeof listJobsQuery>;

/** Body of `POST /v1/learning/jobs/{job}/retry`. */
export const retryJobSchema = z
  .strictObject({
    budgetUsd: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe('New limit for all model calls of the job in US dollars (default: the old one)'),
  })
  .default({})
  .meta({ id: 'RetryJob' });
export type RetryJob = z.output<typeof retryJobSchema>;

/** Header of requests that start a job. */
const startHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Any string. The same key with the same request returns the same job. With another request it is rejected',
    ),
});

const params = z.object({ job: idSchema.describe('Id of the job') });
const jobResponse = { 200: { description: 'The job', schema: jobSchema } } as const;

export const learningRoutes = {
  listJobs: defineRoute({
    method: 'GET',
    path: '/v1/learning/jobs',
    tag,
    summary: 'List background jobs, newest first',
    role: 'viewer',
    query: listJobsQuery,
    responses: { 200: { description: 'Jobs', schema: pageOf(jobSchema, 'JobPage') } },
  }),
  readJob: defineRoute({
    method: 'GET',
    path: '/v1/learning/jobs/{job}',
    tag,
    summary: 'Read a background job',
    role: 'viewer',
    params,
    responses: jobResponse,
    errors: ['NOT_FOUND'],
  }),
  streamJob: defineRoute({
    method: 'GET',
    path: '/v1/learning/jobs/{job}/events',
    tag,
    summary: 'Stream the progress of a background job',
    description:
      'Sends the job as server-sent events: as it is now, and again when it has changed. Several changes within a second are one event. After a job has ended, the event `end` follows. `id` names the state of the job. Send it as `Last-Event-ID` to continue from it. Returns 204 if the job ended in that state.',
    role: 'viewer',
    params,
    headers: z.object({
      'last-event-id': z.string().max(100).optional().describe('`id` of the last event that was received'),
    }),
    responses: {
      200: { description: 'States of the job, one in each `data:` line', types: { 'text/event-stream': null } },
      204: { description: 'The job has ended and there are no further events' },
    },
    errors: ['NOT_FOUND'],
    seconds: null,
  }),
  startEvaluation: defineRoute({
    method: 'POST',
    path: '/v1/learning/evaluations',
    tag,
    summary: 'Compare the actions that a model chooses with the expected actions of a dataset',
    description:
      'Starts a job of kind `evaluate`. It sends recorded requests to the model and compares the first action of each response with the expected action: kind, target and arguments. No run is started. The result of a registered model is also recorded in its `metrics`, with the name `offline:<dataset>@<version>`.',
    role: jobRoles.evaluate,
    headers: startHeaders,
    body: startEvaluationSchema,
    audit: { body: ['model', 'dataset', 'split', 'limit', 'budgetUsd'] },
    responses: { 202: { description: 'The job', schema: jobSchema } },
    errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  }),
  cancelJob: defineRoute({
    method: 'POST',
    path: '/v1/learning/jobs/{job}/cancel',
    tag,
    summary: 'Cancel a background job',
    description:
      'A queued job is cancelled at once, a running one at the next heartbeat of its job runner. Its checkpoint is kept, so that it can be retried. A tuning job that was started is first cancelled at its tuner. Requires the role that starts such jobs: admin for `build_dataset`, `export` and `tune`. Returns 409 if the job has ended.',
    role: 'operator',
    params,
    responses: jobResponse,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  retryJob: defineRoute({
    method: 'POST',
    path: '/v1/learning/jobs/{job}/retry',
    tag,
    summary: 'Retry a failed or cancelled background job',
    description:
      'The job continues from its last checkpoint. Its usage so far still counts for its budget, which the request can raise. Requires the role that starts such jobs: admin for `build_dataset`, `export` and `tune`. Returns 409 if the job has not failed and was not cancelled, or if it is a tuning job that ended at its tuner.',
    role: 'operator',
    params,
    body: retryJobSchema,
    responses: jobResponse,
    errors: ['NOT_FOUND', 'CONFLICT'],
    audit: { body: ['budgetUsd'] },
  }),
} as const;
