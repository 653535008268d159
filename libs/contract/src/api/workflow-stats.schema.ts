import { z } from 'zod';
import { idSchema, timestampSchema } from '../primitives.schema.ts';
import { runStatusSchema } from '../run/run-status.ts';
import { workflowViewSchema } from '../workflow/workflow.schema.ts';

/** Number of recent runs in the success rate of a workflow. */
export const STATS_RUN_COUNT = 20;

/** Statistics of a workflow for lists. */
export const workflowStatsSchema = z
  .object({
    usesAgent: z.boolean().describe('true: the published version, or else the newest, has a goal step'),
    createdBy: z
      .enum(['heal', 'compile'])
      .nullable()
      .describe('Origin of that version: repaired locators, or a compiled agent run; null: a person'),
    finishedRuns: z.int().min(0).describe(`Its last runs that completed or failed, at most ${STATS_RUN_COUNT}`),
    completed: z.int().min(0).describe('Completed runs among them'),
    retries: z.int().min(0).describe('Failed step attempts in these runs that were retried'),
    lastRun: z.object({ id: idSchema, status: runStatusSchema, createdAt: timestampSchema }).nullable(),
    thumbnail: z
      .object({
        url: z.string().describe('Signed URL, valid for 15 minutes'),
        source: z
          .enum(['upload', 'run'])
          .describe('`upload`: set by a person; `run`: the last screenshot of a completed run'),
      })
      .nullable(),
  })
  .meta({ id: 'WorkflowStats' });
export type WorkflowStats = z.infer<typeof workflowStatsSchema>;

/** A workflow in a list. */
export const workflowSummarySchema = workflowViewSchema
  .extend({ stats: workflowStatsSchema })
  .meta({ id: 'WorkflowSummary', description: 'A workflow of a project with statistics of its runs' });
export type WorkflowSummary = z.infer<typeof workflowSummarySchema>;
