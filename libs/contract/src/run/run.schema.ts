import { z } from 'zod';
import { surfaceSupport } from '../actions/surface-support.ts';
import { runEgressSchema, submitEgressSchema } from '../project/egress.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import {
  idSchema,
  timestampSchema,
  jsonSchema,
  labelsSchema,
  slugSchema,
  surfaceKindSchema,
} from '../primitives.schema.ts';
import { modelNameSchema } from '../model/model-settings.schema.ts';
import { tierSchema } from '../model/model.schema.ts';
import { stepsSchema } from '../workflow/workflow-node.schema.ts';
import { goalAppsSchema } from '../workflow/goal.schema.ts';
import { valueSchema } from '../workflow/value.schema.ts';
import { workflowDefinitionSchema } from '../workflow/workflow.schema.ts';
import { answerSourcesSchema } from './answer-sources.schema.ts';
import { budgetSchema } from './budget.schema.ts';
import { captureSchema } from './capture.schema.ts';
import { resultFields } from './outcome.schema.ts';
import { runOriginSchema } from './run-origin.schema.ts';
import { openQuestionSchema, stepLabelSchema } from './run-question.schema.ts';
import { runStatusSchema, stepStatusSchema } from './run-status.ts';

const inputsSchema = z.record(z.string(), jsonSchema);

/** Body of `POST /v1/runs`: a workflow of the project, a definition, steps only, or a goal as text. */
export const submitRunSchema = z
  .strictObject({
    workflow: z.union([slugSchema, idSchema]).optional().describe('Name or id of a workflow of the project'),
    version: z.int().min(1).optional().describe('Version of that workflow (default: the published one)'),
    definition: workflowDefinitionSchema.optional().describe('A definition to run without storing it as a workflow'),
    steps: stepsSchema.optional().describe('Steps to run without a workflow'),
    goal: z.string().min(1).max(20_000).optional().describe('Goal for an agent, in plain words'),
    url: z.url().max(10_000).optional().describe('With `goal`: URL of the first page'),
    apps: goalAppsSchema
      .optional()
      .describe(
        'With `goal` on a desktop: ids of the applications that it may use. The first is opened before the goal begins, unless it ends in `*`',
      ),
    outputSchema: valueSchema.optional().describe('With `goal`: JSON Schema of the answer (default: a string)'),
    inputs: inputsSchema
      .default({})
      .describe(
        'Values of the inputs by name. A secret input also takes the name of a secret of the project: `{ "secret": "portal-password" }`',
      ),
    surface: surfaceKindSchema.optional().describe('With `steps` or `goal` (default: browser)'),
    fleet: slugSchema.optional().describe('Fleet (default: one that serves the surface and the project)'),
    priority: z.int().min(-100).max(100).default(0).describe('Higher priorities run first'),
    budget: budgetSchema.default({}),
    capture: captureSchema.default({ screenshots: 'only-on-failure' }),
    egress: submitEgressSchema
      .optional()
      .describe('Egress rules of the run, in addition to those of project and workflow'),
    labels: labelsSchema.default({}),
    model: modelNameSchema
      .optional()
      .describe('Model for all calls of the run, e.g. `gemini/gemini-2.5-flash` (default: the models of the project)'),
    expiresIn: z
      .int()
      .min(1)
      .max(2_592_000)
      .optional()
      .describe('Seconds that the run may wait in the queue before it fails (default: unlimited)'),
    parentRunId: idSchema
      .optional()
      .describe(
        'Run of the project that this run belongs to. It must not have ended. If it is cancelled, this run is cancelled, too',
      ),
  })
  .refine(
    ({ workflow, definition, steps, goal }) =>
      [workflow, definition, steps, goal].filter((part) => part !== undefined).length === 1,
    {
      error: 'Give exactly one of workflow, definition, steps, goal',
    },
  )
  .refine(({ goal, url, apps, outputSchema }) => goal !== undefined || (url ?? apps ?? outputSchema) === undefined, {
    error: '`url`, `apps` and `outputSchema` need `goal`: add it, or remove them',
    path: ['goal'],
  })
  .refine(({ apps, surface = 'browser' }) => apps === undefined || surfaceSupport[surface].goalStart === 'apps', {
    error: '`apps` needs `surface: desktop`: set it, or remove `apps`',
    path: ['apps'],
  })
  .refine(({ url, surface = 'browser' }) => url === undefined || surfaceSupport[surface].goalStart === 'url', {
    error: 'A desktop opens no URL: use `apps` instead of `url`',
    path: ['url'],
  })
  .refine(({ version, workflow }) => version === undefined || workflow !== undefined, {
    error: '`version` needs `workflow`: add it, or remove `version`',
    path: ['version'],
  })
  .meta({ id: 'SubmitRun' });
export type SubmitRun = z.infer<typeof submitRunSchema>;

/** Body of `POST /v1/runs/{run}/retry`: changes for the new run. */
export const retryRunSchema = z
  .strictObject({
    inputs: inputsSchema.optional().describe('Inputs to change, by name. All others, including secrets, stay the same'),
    fleet: slugSchema.optional().describe('Another fleet'),
    priority: z.int().min(-100).max(100).optional(),
    budget: budgetSchema.optional().describe('Replaces the whole budget'),
    capture: captureSchema.optional().describe('Replaces all capture settings'),
    labels: labelsSchema.optional().describe('Replaces all labels'),
    model: modelNameSchema.optional().describe('Replaces the model'),
  })
  .meta({ id: 'RetryRun' });
export type RetryRun = z.infer<typeof retryRunSchema>;

/** Usage of one tier in a run. */
export const tierUsageSchema = z.object({
  tier: tierSchema,
  steps: z.int().min(0).describe('Steps whose highest tier was this one'),
  seconds: z.number().min(0).describe('Duration of these steps, including models and people'),
  calls: z.int().min(0).describe('Model calls on this tier, including those in steps of higher tiers'),
  tokens: z.number().min(0).describe('Input and output tokens of these calls'),
  usd: z.number().min(0).describe('US dollars; calls with unknown price count as 0'),
  modelSeconds: z.number().min(0).describe('Duration of these calls in seconds'),
});
export type TierUsage = z.infer<typeof tierUsageSchema>;

/** Error of a failed run, and the step that failed. */
export const runErrorSchema = errorViewSchema
  .extend({
    step: z
      .object({
        index: z.int().min(0).describe('Number of the step in the run'),
        path: z.string().describe('Path of the step, e.g. `3[2]/1`'),
        title: z.string().describe('Its title, with `…` for values'),
      })
      .optional()
      .describe('The step that failed; missing if the run failed for another reason'),
  })
  .meta({ id: 'RunError' });
export type RunError = z.infer<typeof runErrorSchema>;

/** Maximum length of the goal in the view of a run, in characters. The definition contains the whole text. */
export const MAX_GOAL_VIEW_CHARS = 500;

/** A run as a client sees it. Secret inputs show as `"••••"`. */
export const runViewSchema = z
  .object({
    id: idSchema,
    status: runStatusSchema,
    workflow: z.object({ id: idSchema.nullable(), name: slugSchema, version: z.int().nullable() }).nullable(),
    goal: z
      .string()
      .nullable()
      .default(null)
      .describe(`First ${MAX_GOAL_VIEW_CHARS} characters of the goal; null: the run was not submitted as a goal`),
    surface: surfaceKindSchema,
    fleet: slugSchema,
    inputs: inputsSchema,
    output: jsonSchema.nullable().describe('Only for one run (`GET /v1/runs/{run}`); null in lists'),
    error: runErrorSchema.nullable(),
    priority: z.int(),
    budget: budgetSchema,
    capture: captureSchema,
    egress: runEgressSchema.nullable().describe('Egress settings of the run, without the password of its proxy'),
    labels: labelsSchema,
    model: modelNameSchema
      .nullable()
      .default(null)
      .describe('Model for all calls of the run; null: the models of the project'),
    epoch: z.int().min(0).describe('Number of the current or last attempt'),
    attempts: z.int().min(0).describe('Attempts that a worker accepted'),
    stepCount: z.int().min(1).describe('Steps in the definition, including `set`. Loops run them several times'),
    currentStep: z.int().min(0).nullable().describe('Number of the current or last started step, from 0'),
    worker: z.string().nullable(),
    usage: z
      .object({
        calls: z.int().min(0),
        tokens: z.int().min(0).describe('Input and output tokens'),
        usd: z.number().min(0).describe('US dollars; calls with unknown price count as 0'),
      })
      .default({ calls: 0, tokens: 0, usd: 0 })
      .describe('Model usage over all attempts'),
    steps: z
      .object({
        total: z.int().min(0).describe('Executed steps without `set`, including those repeated by another attempt'),
        modelFree: z.int().min(0).describe('Executed steps without a model call'),
        retries: z.int().min(0).describe('Failed step attempts that were retried'),
      })
      .default({ total: 0, modelFree: 0, retries: 0 }),
    unverifiedSteps: z
      .int()
      .min(0)
      .default(0)
      .describe('Completed steps with the effect `unverifiable`, including those repeated by another attempt'),
    tiers: z
      .array(tierUsageSchema)
      .optional()
      .describe(
        'Usage by tier, if a model was called. Only for one run (`GET /v1/runs/{run}`), within the retention period of events',
      ),
    answerSources: z
      .array(answerSourcesSchema)
      .optional()
      .describe(
        'Sources of the answer of each goal step that has one: on a page, computed, or not found. Only for one ended run (`GET /v1/runs/{run}`), within the retention period of events',
      ),
    question: openQuestionSchema.nullable().describe('The open question, in `awaiting_user`'),
    origin: runOriginSchema.describe('What started the run'),
    parentRunId: idSchema.nullable().describe('Run that this run belongs to; it may be deleted. null: none'),
    createdAt: timestampSchema,
    startedAt: timestampSchema.nullable(),
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'Run' });
export type RunView = z.infer<typeof runViewSchema>;

/** A step of a run: the checkpoint. */
export const runStepViewSchema = z
  .object({
    index: z.int().min(0).describe('Number of the step in the run; without control flow its index'),
    path: z.string().describe('Path, e.g. `orders[2]/1`: step ids or positions from 1, iterations from 1'),
    label: stepLabelSchema.optional(),
    id: z.string().nullable(),
    title: z.string(),
    action: z.string(),
    status: stepStatusSchema,
    epoch: z.int().min(0).nullable(),
    attempts: z.int().min(0).describe('Started attempts of the step; several with `retry`'),
    tier: tierSchema.nullable().describe('Tier of the step; `replay`: without a model'),
    value: jsonSchema.nullable().describe('Value that the step read'),
    error: errorViewSchema.nullable(),
    outcome: resultFields.outcome
      .nullable()
      .default(null)
      .describe('Outcome of the last attempt; null: it has not ended'),
    effect: resultFields.effect.nullable().default(null).describe('Effect of the last attempt; null: it has not ended'),
    effectReason: resultFields.effectReason.unwrap().nullable().default(null),
    startedAt: timestampSchema.nullable(),
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'RunStep' });
export type RunStepView = z.infer<typeof runStepViewSchema>;
