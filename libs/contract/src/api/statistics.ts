import { z } from 'zod';
import { errorCodes } from '../error/catalogue.ts';
import { runStatusSchema } from '../run/status.ts';
import { timestampSchema } from '../scalar.ts';
import { defineRoute } from './route.ts';

const byStatus = z.record(runStatusSchema, z.int().min(0)).describe('Runs by status');

const usage = z
  .object({
    calls: z.int().min(0),
    tokens: z.int().min(0).describe('Sent and received'),
    usd: z.number().min(0).describe('US dollars; calls to models whose price is not known count as nought'),
  })
  .describe('What models took');

const share = z.number().min(0).max(1).nullable();

/** What became of the runs of some hours. */
export const statisticsSchema = z
  .object({
    from: timestampSchema.describe('Runs submitted at this instant or later are counted'),
    hours: z
      .array(z.object({ at: timestampSchema.describe('When the hour begins'), runs: byStatus, usage }))
      .describe('By the hour in which they were submitted, the oldest first; hours without runs too'),
    runs: byStatus,
    success: share.describe('Completed ones of those that completed or failed; null: none did'),
    steps: z.object({
      all: z.int().min(0).describe('Steps that were carried out'),
      modelFree: z.int().min(0).describe('Those of them that needed no model'),
    }),
    modelFree: share.describe('Steps that needed no model, of all; null: there were none'),
    usage,
    seconds: z
      .object({ median: z.number().min(0), p95: z.number().min(0) })
      .nullable()
      .describe('From the first attempt of a completed run to its end; null: none completed'),
    failures: z
      .array(z.object({ code: z.enum(errorCodes), runs: z.int().min(1) }))
      .describe('Why runs failed, the most frequent first, ten at most'),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof statisticsSchema>;

export const statisticsRoutes = {
  readStatistics: defineRoute({
    method: 'GET',
    path: '/v1/statistics',
    tag: 'Project',
    summary: 'Count what became of the runs of the last hours',
    role: 'viewer',
    query: z.object({
      hours: z.coerce.number().int().min(1).max(168).default(24).describe('So many hours, the one at work included'),
    }),
    responses: { 200: { description: 'The counts', schema: statisticsSchema } },
  }),
} as const;
