import { z } from 'zod';
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
import { tierSchema } from '../model/model.schema.ts';
import { actorSchema } from '../api/audit.routes.ts';
import { stepsSchema } from '../workflow/workflow-node.schema.ts';
import { workflowSurfaceSchema } from '../workflow/control-flow.schema.ts';
import { valueSchema } from '../workflow/value.schema.ts';
import { workflowDefinitionSchema } from '../workflow/workflow.schema.ts';
import { budgetSchema } from './budget.schema.ts';
import { captureSchema } from './capture.schema.ts';
import { openQuestionSchema } from './run-question.schema.ts';
import { runStatusSchema, stepStatusSchema } from './run-status.ts';

const inputsSchema = z.record(z.string(), jsonSchema);

/** Body of `POST /v1/runs`: a workflow of the project, a definition, bare steps, or a goal in words. */
export const submitRunSchema = z
  .strictObject({
    workflow: z.union([slugSchema, idSchema]).optional().describe('Name or id of a workflow of the project'),
    version: z.int().min(1).optional().describe('Version of that workflow (default: the published one)'),
    definition: workflowDefinitionSchema.optional().describe('A whole workflow, run without being kept'),
    steps: stepsSchema.optional().describe('Bare steps, run without being kept'),
    goal: z.string().min(1).max(20_000).optional().describe('What an agent is to reach, in words'),
    url: z.url().max(10_000).optional().describe('With `goal`: the page it begins with'),
    outputSchema: valueSchema.optional().describe('With `goal`: what the answer has to match (default: a text)'),
    inputs: inputsSchema.default({}).describe('Values of the inputs by name'),
    surface: workflowSurfaceSchema.optional().describe('With `steps` (default: browser)'),
    fleet: slugSchema.optional().describe('The fleet to run on (default: one that serves the surface and the project)'),
    priority: z.int().min(-100).max(100).default(0).describe('Higher goes first'),
    budget: budgetSchema.default({}),
    capture: captureSchema.default({ screenshots: 'only-on-failure' }),
    egress: submitEgressSchema
      .optional()
      .describe('Where the run may go; what the project and the workflow say holds besides'),
    labels: labelsSchema.default({}),
    expiresIn: z
      .int()
      .min(1)
      .max(2_592_000)
      .optional()
      .describe('Seconds the run may wait in the queue before it fails (default: for ever)'),
  })
  .refine(
    ({ workflow, definition, steps, goal }) =>
      [workflow, definition, steps, goal].filter((part) => part !== undefined).length === 1,
    {
      error: 'Give exactly one of workflow, definition, steps, goal',
    },
  )
  .refine(({ goal, url, outputSchema }) => goal !== undefined || (url ?? outputSchema) === undefined, {
    error: '`url` and `outputSchema` go with `goal`',
    path: ['goal'],
  })
  .refine(({ version, workflow }) => version === undefined || workflow !== undefined, {
    error: '`version` goes with `workflow`',
    path: ['version'],
  })
  .meta({ id: 'SubmitRun' });
export type SubmitRun = z.infer<typeof submitRunSchema>;

/** Body of `POST /v1/runs/{run}/retry`: changes for the new run. */
export const retryRunSchema = z
  .strictObject({
    inputs: inputsSchema
      .optional()
      .describe('Inputs to be otherwise, by name; the others, secret ones too, stay as they were'),
    fleet: slugSchema.optional().describe('Another fleet'),
    priority: z.int().min(-100).max(100).optional(),
    budget: budgetSchema.optional().describe('Takes the place of the whole budget'),
    capture: captureSchema.optional().describe('Takes the place of all that was said of what is kept'),
    labels: labelsSchema.optional().describe('Take the place of all labels'),
  })
  .meta({ id: 'RetryRun' });
export type RetryRun = z.infer<typeof retryRunSchema>;

/** Usage of one tier in a run. */
export const tierUsageSchema = z.object({
  tier: tierSchema,
  steps: z.int().min(0).describe('Steps that came to this tier, and to no higher one'),
  seconds: z.number().min(0).describe('What these steps took, models and people included'),
  calls: z.int().min(0).describe('Calls to models on this tier, in steps of this one and of higher ones'),
  tokens: z.number().min(0).describe('Sent and received in these calls'),
  usd: z.number().min(0).describe('US dollars; calls whose price is not known count as nought'),
  modelSeconds: z.number().min(0).describe('Until these calls were answered'),
});
export type TierUsage = z.infer<typeof tierUsageSchema>;

/** Why a run failed, and at which step. */
export const runErrorSchema = errorViewSchema
  .extend({
    step: z
      .object({
        index: z.int().min(0).describe('Number of the step in the run'),
        path: z.string().describe('Where it stands, e.g. `3[2]/1`'),
        title: z.string().describe('Its title, with `…` for values'),
      })
      .optional()
      .describe('The step that failed; missing where the run failed for another reason'),
  })
  .meta({ id: 'RunError' });
export type RunError = z.infer<typeof runErrorSchema>;

/** A run as a client sees it. Secret inputs show as `"••••"`. */
export const runViewSchema = z
  .object({
    id: idSchema,
    status: runStatusSchema,
    workflow: z.object({ id: idSchema.nullable(), name: slugSchema, version: z.int().nullable() }).nullable(),
    surface: surfaceKindSchema,
    fleet: slugSchema,
    inputs: inputsSchema,
    output: jsonSchema.nullable().describe('Of one run (`GET /v1/runs/{run}`); null in lists'),
    error: runErrorSchema.nullable(),
    priority: z.int(),
    budget: budgetSchema,
    capture: captureSchema,
    egress: runEgressSchema.nullable().describe('What was said with the run; the password of its proxy is not shown'),
    labels: labelsSchema,
    epoch: z.int().min(0).describe('Number of the current or last attempt'),
    attempts: z.int().min(0).describe('Attempts that a worker accepted'),
    stepCount: z.int().min(1).describe('Steps the workflow is written with; in loops they happen more often'),
    currentStep: z.int().min(0).nullable().describe('Number of the step at work or last begun, from 0'),
    worker: z.string().nullable(),
    usage: z
      .object({
        calls: z.int().min(0),
        tokens: z.int().min(0).describe('Sent and received'),
        usd: z.number().min(0).describe('US dollars; calls to models whose price is not known count as nought'),
      })
      .default({ calls: 0, tokens: 0, usd: 0 })
      .describe('What models took, over all attempts'),
    steps: z
      .object({
        total: z.int().min(0).describe('Steps that were carried out, those that another attempt did again too'),
        modelFree: z.int().min(0).describe('Those of them that needed no model'),
        retries: z.int().min(0).describe('Attempts of steps that failed and were followed by another one'),
      })
      .default({ total: 0, modelFree: 0, retries: 0 }),
    tiers: z
      .array(tierUsageSchema)
      .optional()
      .describe(
        'What each tier took, where a model was asked; of one run (`GET /v1/runs/{run}`), not in lists, and as long as its events are kept',
      ),
    question: openQuestionSchema.nullable().describe('What a person is asked, in `awaiting_user`'),
    retryOf: idSchema.nullable(),
    createdBy: actorSchema
      .nullable()
      .default(null)
      .describe('The API key or user that submitted the run; null: Pilothouse itself, or not recorded'),
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
    path: z
      .string()
      .describe('Its path, e.g. `orders[2]/1`: ids of steps, or their positions from 1, with rounds from 1'),
    id: z.string().nullable(),
    title: z.string(),
    action: z.string(),
    status: stepStatusSchema,
    epoch: z.int().min(0).nullable(),
    attempts: z.int().min(0).describe('Attempts of the step that began; more than one with `retry`'),
    tier: tierSchema.nullable().describe('How the step was carried out; `replay`: without a model'),
    value: jsonSchema.nullable().describe('What the step read'),
    error: errorViewSchema.nullable(),
    startedAt: timestampSchema.nullable(),
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'RunStep' });
export type RunStepView = z.infer<typeof runStepViewSchema>;
