import { z } from 'zod';
import { agentNotesSchema } from '../project/agent-notes.schema.ts';
import { allowedHostsSchema } from '../project/egress.schema.ts';
import {
  endpointNameSchema,
  modelNameSchema,
  modelProtocolSchema,
  projectModelsSchema,
} from '../model/model-settings.schema.ts';
import { checkModelSchema, modelCheckSchema, modelPricesSchema } from '../model/model-check.schema.ts';
import { learningSettingsSchema } from '../learning/learning-settings.schema.ts';
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
    runsDays: days.describe('Days to keep a run after its end, with all its data; null: forever'),
    eventsDays: days.describe('Days to keep events and steps after the end of the run; null: as long as the run'),
    artifactsDays: days.describe('Days to keep artifacts after the end of the run; null: as long as the run'),
  })
  .meta({ id: 'RetentionPolicy' });
export type RetentionPolicy = z.infer<typeof retentionPolicySchema>;

const maxConcurrentRuns = z
  .int()
  .min(1)
  .max(100_000)
  .nullable()
  .describe('Maximum number of running runs over all fleets; null: no limit');

const egress = z.strictObject({
  allow: allowedHostsSchema.nullable().describe('Hosts that runs of the project may reach; null: all public hosts'),
});

const politeness = politenessSchema.nullable().describe('Site limits of all runs of the project; null: none');

const models = projectModelsSchema
  .nullable()
  .describe('Models by role; null or a missing role: those of the installation');

const agents = z
  .strictObject({
    repairPolicy: repairPolicySchema.optional(),
    actionCache: actionCacheModeSchema.optional(),
    notes: agentNotesSchema
      .optional()
      .describe('Notes for agents about applications and sites. In a prompt they follow the notes of the step'),
  })
  .nullable()
  .meta({ id: 'ProjectAgents' })
  .describe(
    'Defaults for workflows: what happens to healed locators (`propose`), and whether agents use the action cache (`auto`). And notes for agents',
  );

const budgets = projectBudgetsSchema
  .nullable()
  .describe('Budgets of runs, and of all model calls in a month; null: none');

const learning = learningSettingsSchema
  .nullable()
  .describe('Recording of turns, and use of runs in datasets of other projects; null: off');

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
    learning: learning.default(null),
    usage: monthlyUsageSchema.describe('Model usage of this month'),
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
    learning: learning.optional(),
  })
  .refine((change) => Object.values(change).some((part) => part !== undefined), {
    error:
      'Give `name`, `maxConcurrentRuns`, `retention`, `egress`, `politeness`, `models`, `agents`, `budgets` or `learning`',
  })
  .meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof updateProjectSchema>;

export const projectRoutes = {
  createProject: defineRoute({
    method: 'POST',
    path: '/v1/projects',
    tag,
    summary: 'Create a project',
    description:
      'Only for admins of any project. The user becomes admin of the new project, which starts with the default retention of the installation.',
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
    summary: 'Read the project',
    description: 'Settings, model usage of this month, and the number of runs by status.',
    role: 'viewer',
    responses: { 200: { description: 'The project', schema: projectViewSchema } },
  }),
  updateProject: defineRoute({
    method: 'PATCH',
    path: '/v1/projects/current',
    tag,
    summary: 'Change the settings of the project',
    description:
      'Omitted settings stay unchanged. A raised concurrency limit starts waiting runs immediately; a lowered one lets running runs finish. Allowed hosts and new site limits apply to attempts that start later, models to the next call. Budgets of runs apply to runs submitted later, the monthly budget to the next model call. `learning` and `agents.notes` apply to attempts that start later. Expired data is deleted within an hour; `POST /v1/retention/runs` shows in advance what would be deleted.',
    role: 'admin',
    body: updateProjectSchema,
    audit: {
      body: [
        'name',
        'maxConcurrentRuns',
        'retention',
        'egress',
        'politeness',
        'models',
        'agents',
        'budgets',
        'learning',
      ],
    },
    responses: { 200: { description: 'The changed project', schema: projectViewSchema } },
  }),
} as const;

/** Model endpoints of the installation. */
export const modelsViewSchema = z
  .object({
    endpoints: z
      .array(z.object({ name: endpointNameSchema, protocol: modelProtocolSchema }))
      .describe('Endpoints of the installation. A model is `endpoint/model`'),
    use: z.array(modelNameSchema).describe('Models for projects without their own, in order of preference'),
  })
  .meta({ id: 'Models' });
export type ModelsView = z.infer<typeof modelsViewSchema>;

export const modelRoutes = {
  readModels: defineRoute({
    method: 'GET',
    path: '/v1/models',
    tag: 'Project',
    summary: 'List model endpoints and default models',
    description: 'Addresses and keys are not included. The provider of an endpoint lists its models.',
    role: 'viewer',
    responses: { 200: { description: 'The endpoints', schema: modelsViewSchema } },
  }),
  listModelPrices: defineRoute({
    method: 'GET',
    path: '/v1/models/prices',
    tag: 'Project',
    summary: 'List known prices of models',
    description:
      'Prices of the settings first. Each built-in price names its source and the date on which it was read.',
    role: 'viewer',
    responses: { 200: { description: 'The prices', schema: modelPricesSchema } },
  }),
  checkModel: defineRoute({
    method: 'POST',
    path: '/v1/models/check',
    tag: 'Project',
    summary: 'Check what a model can do',
    description:
      'Calls the model once per ability, without retries. Each call may take 60 seconds, and the check less than 5 minutes. A project has one check at a time. The usage counts in its monthly budget.',
    role: 'admin',
    seconds: 300,
    body: checkModelSchema,
    responses: { 200: { description: 'The result', schema: modelCheckSchema } },
    errors: ['MODEL_NOT_CONFIGURED', 'BUDGET_EXCEEDED', 'CONFLICT'],
  }),
} as const;

const byStatus = z.record(runStatusSchema, z.int().min(0)).describe('Runs by status');

const usage = z
  .object({
    calls: z.int().min(0),
    tokens: z.int().min(0).describe('Input and output tokens'),
    usd: z.number().min(0).describe('US dollars; calls with unknown price count as 0'),
  })
  .describe('Model usage');

const share = z.number().min(0).max(1).nullable();

/** Statistics of the runs of the last hours. */
export const statisticsSchema = z
  .object({
    from: timestampSchema.describe('Start of the period'),
    hours: z
      .array(z.object({ at: timestampSchema.describe('Start of the hour'), runs: byStatus, usage }))
      .describe('Runs by hour of submission, oldest first, including hours without runs'),
    runs: byStatus,
    success: share.describe('Completed ÷ (completed + failed); null: no such run'),
    steps: z.object({
      total: z.int().min(0).describe('Executed steps'),
      modelFree: z.int().min(0).describe('Executed steps without a model call'),
      retries: z.int().min(0).describe('Failed step attempts that were retried'),
    }),
    modelFree: share.describe('Share of steps without a model call; null: no steps'),
    usage,
    seconds: z
      .object({ median: z.number().min(0), p95: z.number().min(0) })
      .nullable()
      .describe('Duration of completed runs in seconds; null: none completed'),
    failures: z
      .array(z.object({ code: z.enum(errorCodes), runs: z.int().min(1) }))
      .describe('Error codes of failed runs, most frequent first, at most ten'),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof statisticsSchema>;

export const statisticsRoutes = {
  readStatistics: defineRoute({
    method: 'GET',
    path: '/v1/statistics',
    tag: 'Project',
    summary: 'Read statistics of the last hours',
    role: 'viewer',
    query: z.object({
      hours: z.coerce.number().int().min(1).max(168).default(24).describe('Number of hours, including the current one'),
    }),
    responses: { 200: { description: 'The counts', schema: statisticsSchema } },
  }),
} as const;

/** Expired data that was removed, or would be removed. */
export const retentionReportSchema = z
  .object({
    dryRun: z.boolean(),
    runs: z.int().min(0),
    events: z.int().min(0).describe('Including those of deleted runs'),
    artifacts: z.int().min(0).describe('Artifacts, including those of deleted runs'),
    uploads: z.int().min(0).describe('Input files that no run uses'),
    bytes: z.int().min(0).describe('Total size of these files'),
    oldestRemainingRunAt: timestampSchema
      .nullable()
      .describe('Creation time of the oldest remaining run; null: none remains'),
    isComplete: z
      .boolean()
      .describe('false: the time limit was reached. Repeat the request, or wait for the hourly job'),
  })
  .meta({ id: 'RetentionReport' });
export type RetentionReport = z.infer<typeof retentionReportSchema>;

/** Body of `POST /v1/retention/runs`. */
export const runRetentionSchema = z
  .strictObject({ dryRun: z.boolean().describe('true: only count, delete nothing') })
  .meta({ id: 'RunRetention' });

export const retentionRoutes = {
  runRetention: defineRoute({
    method: 'POST',
    path: '/v1/retention/runs',
    tag: 'Project',
    summary: 'Delete expired data, or count it',
    description:
      'Applies `retention` of the project: artifacts first, then events and steps, then runs, then old uploads that no run uses. Runs that have not ended are not affected. Recorded turns are kept while a run is pinned, and up to 30 days until it is scored. Also runs automatically every hour.',
    role: 'admin',
    body: runRetentionSchema,
    audit: { body: ['dryRun'] },
    responses: {
      200: { description: 'Counts of deleted items, with `dryRun` of items to delete', schema: retentionReportSchema },
    },
    errors: ['CONFLICT', 'UNAVAILABLE'],
    seconds: 120,
  }),
} as const;
