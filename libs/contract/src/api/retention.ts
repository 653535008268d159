import { z } from 'zod';
import { timestampSchema } from '../scalar.ts';
import { defineRoute } from './route.ts';

/** What was removed, or would be. */
export const retentionReportSchema = z
  .object({
    dryRun: z.boolean(),
    runs: z.int().min(0),
    events: z.int().min(0).describe('Those of removed runs included'),
    artifacts: z.int().min(0).describe('Files of runs, those of removed runs included'),
    uploads: z.int().min(0).describe('Files for inputs that no run names any more'),
    bytes: z.int().min(0).describe('Of all these files'),
    oldestKept: timestampSchema.nullable().describe('When the oldest run that stays was created; null: none stays'),
    complete: z
      .boolean()
      .describe('false: time was up before all was removed; ask again, or leave it to the hourly job'),
  })
  .meta({ id: 'RetentionReport' });
export type RetentionReport = z.infer<typeof retentionReportSchema>;

/** Body of `POST /v1/retention`. */
export const runRetentionSchema = z
  .strictObject({ dryRun: z.boolean().describe('Only count; nothing is changed') })
  .meta({ id: 'RunRetention' });

export const retentionRoutes = {
  runRetention: defineRoute({
    method: 'POST',
    path: '/v1/retention',
    tag: 'Project',
    summary: 'Remove what the project no longer keeps, or count it',
    description:
      'By `keep` of the project: files of runs first, then events and steps, then whole runs, then uploads that are older than runs ' +
      'are kept and that no run names. A run that has not ended is never touched. The same happens every hour by itself.',
    role: 'admin',
    body: runRetentionSchema,
    audit: { body: ['dryRun'] },
    responses: { 200: { description: 'What was removed, or would be', schema: retentionReportSchema } },
    errors: ['CONFLICT', 'UNAVAILABLE'],
    seconds: 120,
  }),
} as const;
