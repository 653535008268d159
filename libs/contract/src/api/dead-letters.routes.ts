import { z } from 'zod';
import type { ErrorCode } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { runViewSchema } from '../run/run.schema.ts';
import { runStatusSchema } from '../run/run-status.ts';
import { idSchema, timestampSchema } from '../primitives.schema.ts';
import { flagQuery, listQuery, pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Runs';

/**
 * Codes of runs that failed because of infrastructure: workers, leases, queue time. A retry of the same run may succeed. No other list of
 * these codes exists.
 */
export const deadLetterCodes = [
  'INTERNAL',
  'UNAVAILABLE',
  'LEASE_LOST',
  'WORKER_LOST',
  'RUN_HANDED_BACK',
  'ASSIGNMENT_NOT_ACCEPTED',
  'POISON_RUN',
  'RUN_EXPIRED',
  'STEP_STATUS_UNKNOWN',
  'ANSWER_TIMED_OUT',
  'SURFACE_LOST',
  'SURFACE_UNAVAILABLE',
  'PROTOCOL_INVALID',
] as const satisfies readonly ErrorCode[];
export const deadLetterCodeSchema = z.enum(deadLetterCodes).meta({ id: 'DeadLetterCode' });
export type DeadLetterCode = (typeof deadLetterCodes)[number];

/** One attempt of a run, from its events. */
export const attemptViewSchema = z
  .object({
    epoch: z.int().min(1),
    worker: z.string(),
    startedAt: timestampSchema,
    endedAt: timestampSchema.nullable(),
    error: errorViewSchema.nullable().describe('Error of the attempt; null: it ended without one'),
  })
  .meta({ id: 'Attempt' });
export type AttemptView = z.infer<typeof attemptViewSchema>;

/** A run that failed because of infrastructure. */
export const deadLetterSchema = z
  .object({
    run: runViewSchema,
    attempts: z
      .array(attemptViewSchema)
      .describe('Empty if no worker received the run, or after the retention period of events'),
    retry: z
      .object({ id: idSchema, status: runStatusSchema, createdAt: timestampSchema })
      .nullable()
      .describe('The newest retry'),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const pageSchema = pageOf(deadLetterSchema, 'DeadLetterPage')
  .extend({
    counts: z
      .array(
        z.object({
          code: deadLetterCodeSchema,
          runs: z.int().min(1),
          retried: z.int().min(0).describe('Number of these runs that were retried'),
        }),
      )
      .describe('Dead letters of the project by error code, most frequent first'),
  })
  .meta({ id: 'DeadLetterPage' });
export type DeadLetterPage = z.infer<typeof pageSchema>;
export type DeadLetterCounts = DeadLetterPage['counts'];

const listDeadLettersQuery = z.object({
  ...pageQuery,
  errorCode: listQuery(deadLetterCodeSchema).describe('Only runs that failed with one of these codes'),
  retried: flagQuery.optional().describe('`true`: only retried ones; `false`: only others'),
});
export type ListDeadLettersQuery = z.output<typeof listDeadLettersQuery>;

/** Body of `POST /v1/dead-letters/retry`. */
export const retryDeadLettersSchema = z
  .strictObject({
    errorCodes: z
      .array(deadLetterCodeSchema)
      .min(1)
      .optional()
      .describe('Only runs that failed with one of these codes'),
    runs: z.array(idSchema).min(1).max(200).optional().describe('Only these runs'),
    includeRetried: z.boolean().default(false).describe('Also retry runs that were retried before'),
    limit: z
      .int()
      .min(1)
      .max(200)
      .default(50)
      .describe('Maximum number of new runs. The oldest dead letters come first'),
  })
  .meta({ id: 'RetryDeadLetters' });
export type RetryDeadLetters = z.output<typeof retryDeadLettersSchema>;

export const retryDeadLettersResultSchema = z
  .object({
    retried: z.array(z.object({ run: idSchema, retry: idSchema.describe('The new run') })),
    failed: z
      .array(z.object({ run: idSchema, error: errorViewSchema }))
      .describe('Runs that could not be retried, with the error'),
    remaining: z.int().min(0).describe('Matching dead letters beyond the limit'),
  })
  .meta({ id: 'RetryDeadLettersResult' });
export type RetryDeadLettersResult = z.infer<typeof retryDeadLettersResultSchema>;

export const deadLetterRoutes = {
  listDeadLetters: defineRoute({
    method: 'GET',
    path: '/v1/dead-letters',
    tag,
    summary: 'List dead letters, newest first',
    description:
      'A dead letter is a run that failed because of infrastructure: lost workers, queue timeout, an unanswered question. Each comes with its attempts and its newest retry.',
    role: 'viewer',
    query: listDeadLettersQuery,
    responses: { 200: { description: 'A page of dead letters', schema: pageSchema } },
  }),
  retryDeadLetters: defineRoute({
    method: 'POST',
    path: '/v1/dead-letters/retry',
    tag,
    summary: 'Retry dead letters',
    description: 'Creates one new run for each. Skips runs that were retried before, unless `includeRetried` is set.',
    role: 'operator',
    body: retryDeadLettersSchema,
    audit: { body: ['errorCodes', 'runs', 'includeRetried', 'limit'] },
    responses: {
      202: { description: 'The new runs are stored and queued', schema: retryDeadLettersResultSchema },
    },
    seconds: 60,
  }),
} as const;
