import { z } from 'zod';
import { errorCodes } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { runEventSchema } from '../events/event-log.schema.ts';
import { artifactViewSchema } from '../run/artifact.schema.ts';
import { framesPerSecondSchema, MAX_FRAMES_PER_SECOND } from '../run/capture.schema.ts';
import { completeRunSchema, answerRunSchema } from '../run/run-question.schema.ts';
import { runOriginKinds } from '../run/run-origin.schema.ts';
import { retryRunSchema, runStepViewSchema, runViewSchema, submitRunSchema } from '../run/run.schema.ts';
import { runStatusSchema } from '../run/run-status.ts';
import { idSchema, slugSchema, surfaceKindSchema } from '../primitives.schema.ts';
import { workflowDefinitionSchema } from '../workflow/workflow.schema.ts';
import { idempotencyHeaders, listQuery, pageOf, pageQuery, repeatedQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Runs';
const params = z.object({ run: idSchema.describe('Id of the run') });

export const runSubmittedResponse = {
  202: {
    description: 'The run is stored and queued',
    schema: runViewSchema,
    headers: {
      Location: 'URL of the run',
      'Idempotency-Replayed': '`true` when an earlier request with the same key submitted it',
    },
  },
} as const;

export const submitErrors = [
  'CONFLICT',
  'NOT_FOUND',
  'IDEMPOTENCY_IN_FLIGHT',
  'IDEMPOTENCY_MISMATCH',
  'UNAVAILABLE',
] as const;

const label = z.string().regex(/^[^:]+:/, 'Use `name:value`, e.g. `team:purchasing`');

/** Query of `GET /v1/runs`. */
export const listRunsQuery = z.object({
  ...pageQuery,
  status: listQuery(runStatusSchema).describe('Only runs in one of these statuses'),
  error: listQuery(z.enum(errorCodes)).describe('Only runs that failed with one of these codes'),
  workflow: z.union([idSchema, slugSchema]).optional().describe('Only runs of this workflow: its name or id'),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only runs whose workflow name, goal or error message contains this text, or whose id starts with it'),
  fleet: slugSchema.optional().describe('Only runs on this fleet'),
  surface: surfaceKindSchema.optional().describe('Only runs on surfaces of this kind'),
  labels: repeatedQuery(label).describe('Only runs with this label, as `name:value`; if repeated, with all of them'),
  origin: listQuery(z.enum(runOriginKinds)).describe('Only runs of these origins, e.g. `console` or `retry`'),
  unverified: z
    .literal('true')
    .optional()
    .describe('`true`: only runs with a completed step whose effect is `unverifiable`'),
  retryOf: idSchema.optional().describe('Only retries of this run'),
  parentRunId: idSchema.optional().describe('Only child runs of this run'),
  createdAfter: z.iso.datetime({ offset: true }).optional().describe('Only runs created at this instant or later'),
  createdBefore: z.iso.datetime({ offset: true }).optional().describe('Only runs created before this instant'),
});
export type ListRunsQuery = z.output<typeof listRunsQuery>;

export const runStepsSchema = z.object({ items: z.array(runStepViewSchema) }).meta({ id: 'RunStepList' });
export const artifactsSchema = z.object({ items: z.array(artifactViewSchema) }).meta({ id: 'ArtifactList' });
export const runEventsSchema = z
  .object({
    items: z.array(runEventSchema),
    after: z.int().min(0).describe('Value of `after` for the next request'),
    end: z.boolean().describe('true: the run has ended and has no further events'),
  })
  .meta({ id: 'RunEventList' });

/** Body of batch requests. */
export const runIdsSchema = z
  .strictObject({ runs: z.array(idSchema).min(1).max(200).describe('Ids of the runs') })
  .meta({ id: 'RunIds' });

const failed = z
  .array(z.object({ run: idSchema, error: errorViewSchema }))
  .describe('Runs for which it failed, with the error');

export const cancelRunsResultSchema = z
  .object({
    cancelled: z.array(idSchema).describe('Cancelled runs'),
    cancelling: z.array(idSchema).describe('Runs whose worker was asked to stop'),
    failed,
  })
  .meta({ id: 'CancelRunsResult' });
export type CancelRunsResult = z.infer<typeof cancelRunsResultSchema>;

export const retryRunsResultSchema = z
  .object({ retried: z.array(z.object({ run: idSchema, retry: idSchema.describe('The new run') })), failed })
  .meta({ id: 'RetryRunsResult' });
export type RetryRunsResult = z.infer<typeof retryRunsResultSchema>;

export const runRoutes = {
  createRun: defineRoute({
    method: 'POST',
    path: '/v1/runs',
    tag,
    summary: 'Submit a run',
    description:
      'Runs a workflow of the project, a definition, a list of steps, or a goal. Inputs are validated before the run is queued. ' +
      'Send an `Idempotency-Key` to make retries of the request safe.',
    role: 'operator',
    headers: idempotencyHeaders,
    body: submitRunSchema,
    anyText: ['/inputs'],
    audit: { usersOnly: true },
    responses: runSubmittedResponse,
    errors: submitErrors,
  }),
  listRuns: defineRoute({
    method: 'GET',
    path: '/v1/runs',
    tag,
    summary: 'List runs, newest first',
    role: 'viewer',
    query: listRunsQuery,
    responses: { 200: { description: 'A page of runs', schema: pageOf(runViewSchema, 'RunPage') } },
  }),
  readRun: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}',
    tag,
    summary: 'Read a run',
    description: 'With `wait`, responds when the run has ended, or after that number of seconds.',
    role: 'viewer',
    params,
    query: z.object({
      wait: z.coerce.number().int().min(0).max(60).default(0).describe('Seconds to wait for the end of the run'),
    }),
    responses: { 200: { description: 'The run', schema: runViewSchema } },
    errors: ['NOT_FOUND'],
    seconds: 90,
  }),
  cancelRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/cancel',
    tag,
    summary: 'Cancel a run',
    description: 'A queued run ends immediately, a running one as soon as its worker receives the request.',
    role: 'operator',
    params,
    responses: {
      200: { description: 'The run is cancelled', schema: runViewSchema },
      202: { description: 'The worker was asked to stop', schema: runViewSchema },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  answerRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/answer',
    tag,
    summary: 'Answer the question of a run',
    description:
      'Only for a run in `awaiting_user`; its `question` has the possible answers. ' +
      'The run continues immediately, or through the queue if its slot was released.',
    role: 'operator',
    params,
    body: answerRunSchema,
    responses: { 200: { description: 'The run continues', schema: runViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  reopenRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/reopen',
    tag,
    summary: 'Reopen the browser of a waiting run',
    description:
      'Only for a run in `awaiting_user` whose slot was released (`worker` is null). The run is queued; the next worker restores its page, and ' +
      'the run asks again.',
    role: 'operator',
    params,
    responses: { 200: { description: 'The run is queued', schema: runViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  completeRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/complete',
    tag,
    summary: 'End a run that waits for a person',
    description: 'Marks the run as completed, without an output: a person did the rest.',
    role: 'operator',
    params,
    body: completeRunSchema.optional(),
    responses: { 200: { description: 'The run is completed', schema: runViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  retryRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/retry',
    tag,
    summary: 'Retry a run',
    description:
      'Creates a new run with the same definition and inputs, including secrets. The body overrides settings. Only for a run that has ended.',
    role: 'operator',
    params,
    headers: idempotencyHeaders,
    body: retryRunSchema.optional(),
    anyText: ['/inputs'],
    audit: { answer: ['id'] },
    responses: runSubmittedResponse,
    errors: submitErrors,
  }),
  cancelRuns: defineRoute({
    method: 'POST',
    path: '/v1/runs/batch/cancel',
    tag,
    summary: 'Cancel many runs',
    description: 'Cancels each run independently. Failures are listed with their errors.',
    role: 'operator',
    body: runIdsSchema,
    audit: { body: ['runs'] },
    responses: { 200: { description: 'Result for each run', schema: cancelRunsResultSchema } },
    seconds: 60,
  }),
  retryRuns: defineRoute({
    method: 'POST',
    path: '/v1/runs/batch/retry',
    tag,
    summary: 'Retry many runs',
    description: 'Creates one new run for each. Failures are listed with their errors.',
    role: 'operator',
    body: runIdsSchema,
    audit: { body: ['runs'] },
    responses: { 202: { description: 'The new runs are stored and queued', schema: retryRunsResultSchema } },
    seconds: 60,
  }),
  readRunDefinition: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/definition',
    tag,
    summary: 'Read the definition of a run',
    description: 'The definition at the time the run was submitted.',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The definition', schema: workflowDefinitionSchema } },
    errors: ['NOT_FOUND'],
  }),
  listRunSteps: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/steps',
    tag,
    summary: 'List the steps of a run',
    description: 'All steps of the definition in order, with their status. Returns 410 after the retention period.',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The steps', schema: runStepsSchema } },
    errors: ['NOT_FOUND', 'GONE'],
  }),
  listRunArtifacts: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/artifacts',
    tag,
    summary: 'List the artifacts of a run',
    description: 'Screenshots, downloads and data, each with a signed URL that is valid for 15 minutes without a key.',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The files', schema: artifactsSchema } },
    errors: ['NOT_FOUND'],
  }),
  watchRun: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/live',
    tag,
    summary: 'Watch the screen of a run',
    description:
      'A stream of JPEG frames that an `<img>` can show, sent on change: of a browser at most five a second, of a desktop at most 25. It waits ' +
      'for a queued run and ends with the run; after that it returns 204. Frames are not stored.',
    role: 'viewer',
    params,
    query: z.object({
      framesPerSecond: z.coerce
        .number()
        .pipe(framesPerSecondSchema)
        .default(MAX_FRAMES_PER_SECOND)
        .describe('Maximum frames per second for this viewer. Another viewer of the run may cause more'),
    }),
    responses: {
      200: { description: 'The frames', types: { 'multipart/x-mixed-replace': null } },
      204: { description: 'The run has ended' },
    },
    errors: ['NOT_FOUND'],
    seconds: null,
  }),
  listRunEvents: defineRoute({
    method: 'GET',
    path: '/v1/runs/{run}/events',
    tag,
    summary: 'Follow or list the events of a run',
    description:
      'A stream of server-sent events unless JSON is requested. Each message has the number of the event as `id` and the event as `data`; the ' +
      'message after the last event has the type `end`. While a model streams, messages of type `agent-thinking` without `id` contain its ' +
      'thought so far (`step`, `turn`, `branch`, `subject`: plan or verdict, `text` from its start), at most four a second. They are not stored; ' +
      'the `agent.turn` event has the final text. Resume a broken connection with `Last-Event-ID`. ' +
      'After the end the stream returns 204, so that an `EventSource` stops. Returns 410 after the retention period.',
    role: 'viewer',
    params,
    query: z.object({
      after: z.coerce.number().int().min(0).optional().describe('Only events with a higher number'),
      format: z.enum(['sse', 'json']).optional().describe('Instead of the `Accept` header'),
      limit: z.coerce.number().int().min(1).max(1000).default(200).describe('JSON only: maximum number of events'),
    }),
    headers: z.object({
      accept: z.string().optional().describe('`text/event-stream` or `application/json`'),
      'last-event-id': z.string().optional().describe('Number of the last event that was received'),
    }),
    responses: {
      200: {
        description: 'The events, past and future',
        schema: runEventsSchema,
        types: { 'text/event-stream': null },
      },
      204: { description: 'The run has ended and there are no further events' },
    },
    errors: ['NOT_FOUND', 'NOT_ACCEPTABLE', 'GONE'],
    seconds: null,
  }),
} as const;
