import { z } from 'zod';
import { allowedHostsSchema } from '../egress/egress.ts';
import { projectModelsSchema } from '../model/settings.ts';
import { politenessSchema } from '../politeness/politeness.ts';
import { projectBudgetsSchema, monthlyUsageSchema } from '../run/budgets.ts';
import { runStatusSchema } from '../run/status.ts';
import { idSchema, slugSchema } from '../scalar.ts';
import { actionCacheModeSchema } from '../workflow/step.ts';
import { repairPolicySchema } from '../workflow/workflow.ts';
import { projectMembershipSchema } from '../user/user.ts';
import { createProjectSchema, projectNameSchema } from '../user/member.ts';
import { defineRoute } from './route.ts';

const tag = 'Project';

/** Days that something is kept; a hundred years at most. */
const days = z.int().min(1).max(36_500).nullable();

/** What a project keeps, and how long. */
export const retentionPolicySchema = z
  .strictObject({
    runsDays: days.describe('Days after its end that a run is kept, with all it has; null: for ever'),
    eventsDays: days.describe(
      'Days after its end that the events and the steps of a run are kept; null: as long as the run',
    ),
    artifactsDays: days.describe('Days after its end that the files of a run are kept; null: as long as the run'),
  })
  .meta({ id: 'Keep' });
export type RetentionPolicy = z.infer<typeof retentionPolicySchema>;

const maxRunning = z
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
    repairs: repairPolicySchema.optional(),
    memory: actionCacheModeSchema.optional(),
  })
  .nullable()
  .meta({ id: 'ProjectAgents' })
  .describe(
    'What becomes of repaired locators (default: `propose`), and whether what agents did is done again (default: `on`), where a workflow does not say',
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
    maxRunning,
    keep: retentionPolicySchema,
    egress,
    politeness,
    models: models.default(null),
    agents: agents.default(null),
    budgets: budgets.default(null),
    spent: monthlyUsageSchema.describe('What models took this month'),
    runs: z.record(runStatusSchema, z.int().min(0)).describe('Runs by status'),
  })
  .meta({ id: 'Project' });
export type ProjectView = z.infer<typeof projectViewSchema>;

/** Body of `PATCH /v1/project`: what is left out stays. */
export const updateProjectSchema = z
  .strictObject({
    name: projectNameSchema.optional(),
    maxRunning: maxRunning.optional(),
    keep: retentionPolicySchema.partial().optional(),
    egress: egress.optional(),
    politeness: politeness.optional(),
    models: models.optional(),
    agents: agents.optional(),
    budgets: budgets.optional(),
  })
  .refine((change) => Object.values(change).some((part) => part !== undefined), {
    error: 'Give `name`, `maxRunning`, `keep`, `egress`, `politeness`, `models`, `agents` or `budgets`',
  })
  .meta({ id: 'ChangeProject' });
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
    path: '/v1/project',
    tag,
    summary: 'Read the project of the key',
    description:
      'Its limit, how long it keeps what, where its runs may go, how much of which site they take, which models they ask, what they may use up and took this month, and how many runs it has by status.',
    role: 'viewer',
    responses: { 200: { description: 'The project', schema: projectViewSchema } },
  }),
  changeProject: defineRoute({
    method: 'PATCH',
    path: '/v1/project',
    tag,
    summary:
      'Change the name or the limit of the project, how long it keeps what, where its runs may go, how much of a site they take, which models they ask, or what they may use up',
    description:
      'A raised limit lets waiting runs go on at once; a lowered one lets those at work go on to their end. ' +
      'A changed list of hosts, and a site that had no limit, hold for every attempt that begins after it; other models are asked at once. ' +
      'Budgets of a run count for runs that are submitted after it, the budget of a month for the next call of a model. ' +
      'What is no longer kept is removed within the hour: see `POST /v1/retention`, which also says before what would go.',
    role: 'admin',
    body: updateProjectSchema,
    audit: { body: ['name', 'maxRunning', 'keep', 'egress', 'politeness', 'models', 'agents', 'budgets'] },
    responses: { 200: { description: 'The project, changed', schema: projectViewSchema } },
  }),
} as const;
