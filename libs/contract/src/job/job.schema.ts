import { z } from 'zod';
import { actorSchema } from '../project/actor.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { idSchema, jsonSchema, timestampSchema } from '../primitives.schema.ts';

/** Kind of a background job that the job runner runs. */
export const jobKindSchema = z
  .enum(['score', 'build_dataset', 'export', 'tune', 'evaluate'])
  .meta({ id: 'JobKind' })
  .describe(
    '`score`: rate the steps of a run; `build_dataset`: collect traces; `export`: write a dataset in a format; `tune`: tune a model; `evaluate`: compare the answers of a model with labels',
  );
export type JobKind = z.infer<typeof jobKindSchema>;
export const jobKinds = jobKindSchema.options;

export const jobStatusSchema = z
  .enum(['queued', 'running', 'completed', 'failed', 'cancelled'])
  .meta({ id: 'JobStatus' });
export type JobStatus = z.infer<typeof jobStatusSchema>;
export const jobStatuses = jobStatusSchema.options;

/** Attempts of a job. The last failed or lost one ends it. */
export const MAX_JOB_ATTEMPTS = 5;

export const jobProgressSchema = z
  .object({
    done: z.int().min(0),
    total: z.int().min(0).nullable().describe('null: not known'),
    unit: z.string().min(1).max(40).describe('Plural noun, e.g. `steps`'),
    detail: z.string().max(100).optional().describe('State as reported by an external service, e.g. a tuner'),
  })
  .meta({ id: 'JobProgress' });
export type JobProgress = z.infer<typeof jobProgressSchema>;

/** Why a due job does not start. */
export const jobConditionSchema = z
  .object({ reason: z.enum(['NoJobRunner']), message: z.string().describe('Cause and remedy, for people') })
  .meta({ id: 'JobCondition' });
export type JobCondition = z.infer<typeof jobConditionSchema>;

/** A background job of a project. */
export const jobSchema = z
  .object({
    id: idSchema,
    kind: jobKindSchema,
    status: jobStatusSchema,
    condition: jobConditionSchema.optional().describe('Why a queued job does not start. Absent: no cause is known'),
    params: jsonSchema.describe('Parameters, by kind'),
    progress: jobProgressSchema.nullable().describe('null: not reported yet'),
    result: jsonSchema.describe('Result of a completed job, by kind; otherwise null'),
    error: errorViewSchema
      .nullable()
      .describe('Error of a failed job, or of the last attempt of a job that is retried; null: none'),
    attempts: z
      .int()
      .min(0)
      .describe(`Attempts so far, at most ${MAX_JOB_ATTEMPTS}. A drained job runner uses up none`),
    runAt: timestampSchema.describe('Earliest start of a queued job'),
    isCancelRequested: z
      .boolean()
      .describe(
        'True after a cancellation request. A queued or running job keeps its status until the job runner stops it or cancels it at the tuner',
      ),
    budgetUsd: z.number().min(0).nullable().describe('Limit for model calls in US dollars; null: none'),
    usedUsd: z.number().min(0).describe('US dollars of model calls with a known price'),
    usedTokens: z.int().min(0).describe('Tokens of model calls in both directions'),
    createdBy: actorSchema.nullable().describe('Key or user; null: Pilothouse'),
    createdAt: timestampSchema,
    startedAt: timestampSchema.nullable().describe('Start of the first attempt'),
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'Job', description: 'A background job: scoring, datasets, export, tuning or evaluation' });
export type Job = z.infer<typeof jobSchema>;
