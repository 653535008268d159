import { z } from 'zod';
import { allowedHostsSchema } from '../project/egress.schema.ts';
import {
  endpointNameSchema,
  modelNameSchema,
  modelProtocolSchema,
  projectModelsSchema,
} from '../model/model-settings.schema.ts';
import { politenessSchema } from '../project/politeness.schema.ts';
import { projectBudgetsSchema, monthlyUsageSchema } from '../run/budget.schema.ts';
import { runStatusSchema } from '../run/run-status.ts';
import { idSchema, slugSchema, timestampSchema } from '../primitives.schema.ts';
import { actionCacheModeSchema } from '../workflow/goal.schema.ts';
import { repairPolicySchema } from '../workflow/workflow.schema.ts';
import { projectMembershipSchema } from '../project/user.schema.ts';
import { createProjectSchema, projectNameSchema } from '../project/member.schema.ts';
import { defineRoute } from './route-definition.ts';
import { errorCodes } from '../errors/error-codes.ts';

const tag = 'Project';

/** Retention in days; at most a hundred years. */
const days = z.int().min(1).max(36_500).nullable();

/** Retention of runs, events and artifacts. */
export const retentionPolicySchema = z
  .strictObject({
    runsDays: days.describe('Days after its end that a run is kept, with all it has; null: for ever'),
    eventsDays: days.describe(
      'Days after its end that the events and the steps of a run are kept; null: as long as the run',
    ),
    artifactsDays: days.describe('Days after its end that the files of a run are kept; null: as long as the run'),
  })
  .meta({ id: 'RetentionPolicy' });
export type RetentionPolicy = z.infer<typeof retentionPolicySchema>;

const maxConcurrentRuns = z
  .int()
  .min(1)
  .max(100_000)
  .nullable()
  .describe('Most runs at work at a time over all fleets; null: no limit');

const egress = z.strictObject({
  allow: allowedHostsSchema.nullable().describe('Hosts that runs of the project may reach; null: all public ones'),
});

const politeness = politenessSchema
  .nullable()
  .describe('How much of which site all runs of the project may take; null: nothing is said');

const models = projectModelsSchema
  .nullable()
  .describe(
    'Which models runs of the project ask, by what they ask for; what is not said is as the installation has it',
  );

const agents = z
  .strictObject({
    repairPolicy: repairPolicySchema.optional(),
    actionCache: actionCacheModeSchema.optional(),
  })
  .nullable()
  .meta({ id: 'ProjectAgents' })
  .describe(
    'What becomes of repaired locators (default: `propose`), and whether what agents did is done again (default: `auto`), where a workflow does not say',
  );

const budgets = projectBudgetsSchema
  .nullable()
  .describe('What a run may use up, and what all runs may take of models in a month; null: nothing is said');

/** A project as its keys see it. */
export const projectViewSchema = z
  .object({
    id: idSchema,
    slug: slugSchema,
    name: z.string(),
    maxConcurrentRuns,
    retention: retentionPolicySchema,
    egress,
    politeness,
    models: models.default(null),
    agents: agents.default(null),
    budgets: budgets.default(null),
    usage: monthlyUsageSchema.describe('What models took this month'),
    runs: z.record(runStatusSchema, z.int().min(0)).describe('Runs by status'),
  })
  .meta({ id: 'Project' });
export type ProjectView = z.infer<typeof projectViewSchema>;

/** Body of `PATCH /v1/projects/current`. Missing fields do not change. */
export const updateProjectSchema = z
  .strictObject({
    name: projectNameSchema.optional(),
    maxConcurrentRuns: maxConcurrentRuns.optional(),
    retention: retentionPolicySchema.partial().optional(),
    egress: egress.optional(),
    politeness: politeness.optional(),
    models: models.optional(),
    agents: agents.optional(),
    budgets: budgets.optional(),
  })
  .refine((change) => Object.values(change).some((part) => part !== undefined), {
    error: 'Give `name`, `maxConcurrentRuns`, `retention`, `egress`, `politeness`, `models`, `agents` or `budgets`',
  })
  .meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof updateProjectSchema>;

export const projectRoutes = {
  createProject: defineRoute({
    method: 'POST',
    path: '/v1/projects',
    tag,
    summary: 'Make a project',
    description:
      'Only for who is admin of a project. The user becomes admin of the new one; it keeps what the installation says of new projects.',
    role: 'user',
    body: createProjectSchema,
    audit: { body: ['slug', 'name'] },
    responses: { 201: { description: 'The project', schema: projectMembershipSchema } },
    errors: ['FORBIDDEN', 'CONFLICT'],
  }),
  readProject: defineRoute({
    method: 'GET',
    path: '/v1/projects/current',
    tag,
    summary: 'Read the project of the key',
    description:
      'Its limit, how long it keeps what, where its runs may go, how much of which site they take, which models they ask, what they may use up and took this month, and how many runs it has by status.',
    role: 'viewer',
    responses: { 200: { description: 'The project', schema: projectViewSchema } },
  }),
  updateProject: defineRoute({
    method: 'PATCH',
    path: '/v1/projects/current',
    tag,
    summary:
      'Change the name or the limit of the project, how long it keeps what, where its runs may go, how much of a site they take, which models they ask, or what they may use up',
    description:
      'A raised limit lets waiting runs go on at once; a lowered one lets those at work go on to their end. ' +
      'A changed list of hosts, and a site that had no limit, hold for every attempt that begins after it; other models are asked at once. ' +
      'Budgets of a run count for runs that are submitted after it, the budget of a month for the next call of a model. ' +
      'What is no longer kept is removed within the hour: see `POST /v1/retention/runs`, which also says before what would go.',
    role: 'admin',
    body: updateProjectSchema,
    audit: { body: ['name', 'maxConcurrentRuns', 'retention', 'egress', 'politeness', 'models', 'agents', 'budgets'] },
    responses: { 200: { description: 'The project, changed', schema: projectViewSchema } },
  }),
} as const;

/** Model endpoints of the installation. */
export const modelsViewSchema = z
  .object({
    endpoints: z
      .array(z.object({ name: endpointNameSchema, protocol: modelProtocolSchema }))
      .describe('Endpoints of the installation; a model at one is `name/model`'),
    use: z.array(modelNameSchema).describe('What is asked where a project says nothing, in order'),
  })
  .meta({ id: 'Models' });
export type ModelsView = z.infer<typeof modelsViewSchema>;

export const modelRoutes = {
  readModels: defineRoute({
    method: 'GET',
    path: '/v1/models',
    tag: 'Project',
    summary: 'Say where models can be asked, and which are asked where a project says nothing',
    description: 'Neither addresses nor keys are said. Which models an endpoint has its provider knows.',
    role: 'viewer',
    responses: { 200: { description: 'The endpoints', schema: modelsViewSchema } },
  }),
} as const;

const byStatus = z.record(runStatusSchema, z.int().min(0)).describe('Runs by status');

const usage = z
  .object({
    calls: z.int().min(0),
    tokens: z.int().min(0).describe('Sent and received'),
    usd: z.number().min(0).describe('US dollars; calls to models whose price is not known count as nought'),
  })
  .describe('What models took');

const share = z.number().min(0).max(1).nullable();

/** Statistics of the runs of the last hours. */
export const statisticsSchema = z
  .object({
    from: timestampSchema.describe('Runs submitted at this instant or later are counted'),
    hours: z
      .array(z.object({ at: timestampSchema.describe('When the hour begins'), runs: byStatus, usage }))
      .describe('By the hour in which they were submitted, the oldest first; hours without runs too'),
    runs: byStatus,
    success: share.describe('Completed ones of those that completed or failed; null: none did'),
    steps: z.object({
      total: z.int().min(0).describe('Steps that were carried out'),
      modelFree: z.int().min(0).describe('Those of them that needed no model'),
      retries: z.int().min(0).describe('Attempts of steps that failed and were followed by another one'),
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

/** Expired data that was removed, or would be removed. */
export const retentionReportSchema = z
  .object({
    dryRun: z.boolean(),
    runs: z.int().min(0),
    events: z.int().min(0).describe('Those of removed runs included'),
    artifacts: z.int().min(0).describe('Files of runs, those of removed runs included'),
    uploads: z.int().min(0).describe('Files for inputs that no run names any more'),
    bytes: z.int().min(0).describe('Of all these files'),
    oldestRemainingRunAt: timestampSchema
      .nullable()
      .describe('When the oldest run that stays was created; null: none stays'),
    isComplete: z
      .boolean()
      .describe('false: time was up before all was removed; ask again, or leave it to the hourly job'),
  })
  .meta({ id: 'RetentionReport' });
export type RetentionReport = z.infer<typeof retentionReportSchema>;

/** Body of `POST /v1/retention/runs`. */
export const runRetentionSchema = z
  .strictObject({ dryRun: z.boolean().describe('Only count; nothing is changed') })
  .meta({ id: 'RunRetention' });

export const retentionRoutes = {
  runRetention: defineRoute({
    method: 'POST',
    path: '/v1/retention/runs',
    tag: 'Project',
    summary: 'Remove what the project no longer keeps, or count it',
    description:
      'By `retention` of the project: files of runs first, then events and steps, then whole runs, then uploads that are older than runs ' +
      'are kept and that no run names. A run that has not ended is never touched. The same happens every hour by itself.',
    role: 'admin',
    body: runRetentionSchema,
    audit: { body: ['dryRun'] },
    responses: { 200: { description: 'What was removed, or would be', schema: retentionReportSchema } },
    errors: ['CONFLICT', 'UNAVAILABLE'],
    seconds: 120,
  }),
} as const;
