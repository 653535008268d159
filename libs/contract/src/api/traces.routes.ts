import { z } from 'zod';
import {
  correctedActionsSchema,
  MAX_FILTERED_RUNS,
  MAX_CORRECTED_THOUGHT,
  MAX_TRACE_REASON,
  scoreVersionSchema,
  traceDetailSchema,
  traceFilterSchema,
  traceQualitySchema,
  traceViewSchema,
} from '../learning/trace.schema.ts';
import { jobRoles } from '../job/job-rules.ts';
import { idSchema } from '../primitives.schema.ts';
import { flagQuery, listQuery, pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Traces';
const params = z.object({ run: idSchema.describe('Id of the run') });

const filterFields = traceFilterSchema.shape;

/** Filter of traces in a query string. */
const filterQuery = {
  ...filterFields,
  runs: listQuery(idSchema, MAX_FILTERED_RUNS).describe('Only traces of these runs'),
  quality: listQuery(traceQualitySchema).describe('Only traces of one of these qualities'),
  needsReview: flagQuery.optional().describe('`true`: only traces that need a review; `false`: only the others'),
};

/** Query of `GET /v1/traces`. */
export const listTracesQuery = z.object({ ...pageQuery, ...filterQuery });
export type ListTracesQuery = z.output<typeof listTracesQuery>;

/** Query of `GET /v1/traces/stats`. */
export const traceStatsQuery = z.object(filterQuery);
export type TraceStatsQuery = z.output<typeof traceStatsQuery>;

/** Body of `PUT /v1/traces/{run}/steps/{ordinal}/label`. */
export const labelTraceStepSchema = z
  .strictObject({
    quality: traceQualitySchema,
    reason: z.string().trim().min(1).max(MAX_TRACE_REASON).describe('Why, in one or two sentences'),
    correctedThought: z
      .string()
      .trim()
      .min(1)
      .max(MAX_CORRECTED_THOUGHT)
      .nullable()
      .default(null)
      .describe('Thought that the turn should have had (default: no correction)'),
    correctedActions: correctedActionsSchema
      .nullable()
      .default(null)
      .describe(
        'Actions that the turn should have had. Elements are indexes of its element list (default: no correction)',
      ),
  })
  .refine(
    ({ quality, correctedThought, correctedActions }) =>
      quality === 'bad' || (correctedThought === null && correctedActions === null),
    { error: 'Only a bad step has a correction: set `quality` to `bad`, or remove it', path: ['quality'] },
  )
  .meta({ id: 'LabelTraceStep' });
export type LabelTraceStep = z.output<typeof labelTraceStepSchema>;

/** Body of `POST /v1/traces/labels`. */
export const acceptTraceLabelsSchema = z
  .strictObject({
    filter: traceFilterSchema.describe('Traces whose labels are accepted'),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TRACE_REASON)
      .default('Accepted with a filter')
      .describe('Reason of the labels'),
    dryRun: z.boolean().default(false).describe('true: only count the traces and steps'),
  })
  .meta({ id: 'AcceptTraceLabels' });
export type AcceptTraceLabels = z.output<typeof acceptTraceLabelsSchema>;

export const acceptedTraceLabelsSchema = z
  .object({
    traces: z.int().min(0).describe('Traces with new labels. With `dryRun`: traces that would have new labels'),
    steps: z.int().min(0).describe('Steps with new labels. With `dryRun`: steps that would have new labels'),
    isComplete: z.boolean().describe('false: more traces match. Send the request again'),
  })
  .meta({ id: 'AcceptedTraceLabels' });
export type AcceptedTraceLabels = z.infer<typeof acceptedTraceLabelsSchema>;

/** Body of `POST /v1/traces/score`. */
export const scoreTracesSchema = z
  .strictObject({
    filter: traceFilterSchema.describe('Traces to score'),
    budgetUsd: z
      .number()
      .positive()
      .max(1_000_000)
      .optional()
      .describe('Limit for the model calls of each trace in US dollars (default: only the budget of the project)'),
  })
  .meta({ id: 'ScoreTraces' });
export type ScoreTraces = z.output<typeof scoreTracesSchema>;

export const scoreTracesResultSchema = z
  .object({
    version: scoreVersionSchema,
    jobs: z.int().min(0).describe('New jobs of kind `score`'),
    isComplete: z.boolean().describe('false: more traces match. Send the request again'),
  })
  .meta({ id: 'ScoreTracesResult' });
export type ScoreTracesResult = z.infer<typeof scoreTracesResultSchema>;

const stepCounts = {
  traces: z.int().min(0),
  good: z.int().min(0).describe('Steps'),
  bad: z.int().min(0).describe('Steps'),
  unknown: z.int().min(0).describe('Steps'),
  needsReview: z.int().min(0).describe('Traces'),
};

const share = z.number().nullable();

export const traceStatsSchema = z
  .object({
    total: z.object(stepCounts),
    days: z
      .array(z.object({ day: z.iso.date(), ...stepCounts }))
      .describe('By creation of the run (UTC), oldest first'),
    workflows: z.array(z.object({ workflow: z.string(), ...stepCounts })).describe('Most traces first, at most 50'),
    models: z
      .array(z.object({ model: z.string().nullable(), ...stepCounts }))
      .describe('Most traces first, at most 50. null: no model was called'),
    agreement: z
      .array(
        z.object({
          reviewers: z.tuple([z.string(), z.string()]),
          count: z.int().min(1).describe('Steps that both labeled'),
          observed: share.describe('Share of these steps with the same quality'),
          kappa: share.describe(
            "Cohen's κ: 1 is full agreement, 0 is agreement by chance. null: both used only the same label",
          ),
        }),
      )
      .describe('Each pair of reviewers that labeled the same steps, by the last label of each'),
  })
  .meta({ id: 'TraceStats' });
export type TraceStats = z.infer<typeof traceStatsSchema>;
/** Counts of traces and steps. */
export type TraceCounts = TraceStats['total'];

const oneTrace = { 200: { description: 'The trace', schema: traceViewSchema } } as const;
const traceDetail = { 200: { description: 'The trace with its steps', schema: traceDetailSchema } } as const;

export const traceRoutes = {
  readTraceStats: defineRoute({
    method: 'GET',
    path: '/v1/traces/stats',
    tag,
    summary: 'Count traces by quality, and compare reviewers',
    role: 'viewer',
    query: traceStatsQuery,
    responses: { 200: { description: 'The counts', schema: traceStatsSchema } },
  }),
  listTraces: defineRoute({
    method: 'GET',
    path: '/v1/traces',
    tag,
    summary: 'List traces, newest run first',
    description: 'A trace exists for each run with recorded turns, as soon as the run has ended.',
    role: 'viewer',
    query: listTracesQuery,
    responses: { 200: { description: 'A page of traces', schema: pageOf(traceViewSchema, 'TracePage') } },
  }),
  readTrace: defineRoute({
    method: 'GET',
    path: '/v1/traces/{run}',
    tag,
    summary: 'Read a trace with its steps and labels',
    role: 'viewer',
    params,
    responses: traceDetail,
    errors: ['NOT_FOUND'],
  }),
  labelTraceStep: defineRoute({
    method: 'PUT',
    path: '/v1/traces/{run}/steps/{ordinal}/label',
    tag,
    summary: 'Label a step',
    description:
      'The label takes precedence over scores. Earlier labels remain in the history. Corrected actions have to be possible on the page of the step.',
    role: 'operator',
    params: z.object({
      ...params.shape,
      ordinal: z.coerce.number().int().min(1).describe('Number of the step in the trace'),
    }),
    body: labelTraceStepSchema,
    audit: { body: ['quality', 'reason'] },
    responses: traceDetail,
    errors: ['NOT_FOUND', 'GONE'],
  }),
  pinTrace: defineRoute({
    method: 'POST',
    path: '/v1/traces/{run}/pin',
    tag,
    summary: 'Exclude the turn records of a run from retention',
    description: 'Retention does not delete the run and its turn records while its trace is pinned.',
    role: 'operator',
    params,
    responses: oneTrace,
    errors: ['NOT_FOUND'],
  }),
  unpinTrace: defineRoute({
    method: 'POST',
    path: '/v1/traces/{run}/unpin',
    tag,
    summary: 'Let retention delete the turn records of a run',
    role: 'operator',
    params,
    responses: oneTrace,
    errors: ['NOT_FOUND'],
  }),
  scoreTraces: defineRoute({
    method: 'POST',
    path: '/v1/traces/score',
    tag,
    summary: 'Score traces again',
    description:
      'Creates a job for each trace whose score is of another version or incomplete. Others are skipped. Labels of persons stay in effect. At most 1,000 jobs per request.',
    role: jobRoles.score,
    body: scoreTracesSchema,
    audit: { body: ['filter', 'budgetUsd'], answer: ['jobs'] },
    responses: { 202: { description: 'The jobs are queued', schema: scoreTracesResultSchema } },
  }),
  acceptTraceLabels: defineRoute({
    method: 'POST',
    path: '/v1/traces/labels',
    tag,
    summary: 'Accept the labels of traces',
    description:
      'Labels each step of the matching traces with its current quality and correction. Steps that are unknown, or that a person has labeled, are skipped. At most 1,000 traces per request.',
    role: 'operator',
    body: acceptTraceLabelsSchema,
    audit: { body: ['filter', 'reason', 'dryRun'], answer: ['steps'] },
    responses: { 200: { description: 'The steps are labeled', schema: acceptedTraceLabelsSchema } },
  }),
} as const;
