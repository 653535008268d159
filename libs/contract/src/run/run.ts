import { z } from 'zod';
import { errorViewSchema } from '../error/error.ts';
import { idSchema, instantSchema, jsonSchema, labelsSchema, slugSchema, surfaceKindSchema } from '../scalar.ts';
import { stepsSchema } from '../workflow/step.ts';
import { workflowDefinitionSchema } from '../workflow/workflow.ts';
import { openQuestionSchema } from './question.ts';
import { runStatusSchema, stepStatusSchema } from './status.ts';

/** What a run may use up. */
export const budgetSchema = z
  .strictObject({
    steps: z.int().min(1).max(100_000).optional().describe('Steps, repeated ones counted again'),
    seconds: z
      .number()
      .positive()
      .max(604_800)
      .optional()
      .describe('Seconds of work, over all attempts, waiting in the queue not counted'),
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof budgetSchema>;

/** What a run keeps besides its events. */
export const recordSchema = z
  .strictObject({
    screenshots: z
      .enum(['none', 'failure', 'steps'])
      .default('failure')
      .describe('`failure`: when a step fails; `steps`: after every step too'),
  })
  .meta({ id: 'Record' });
export type RunRecord = z.infer<typeof recordSchema>;

const inputsSchema = z.record(z.string(), jsonSchema);

/** Body of `POST /v1/runs`: a workflow of the project, a definition, or bare steps. */
export const submitRunSchema = z
  .strictObject({
    workflow: z.union([slugSchema, idSchema]).optional().describe('Name or id of a workflow of the project'),
    version: z.int().min(1).optional().describe('Version of that workflow (default: the published one)'),
    definition: workflowDefinitionSchema.optional().describe('A whole workflow, run without being kept'),
    steps: stepsSchema.optional().describe('Bare steps, run without being kept'),
    inputs: inputsSchema.default({}).describe('Values of the inputs by name'),
    surface: surfaceKindSchema.optional().describe('With `steps` (default: browser)'),
    fleet: slugSchema.optional().describe('The fleet to run on (default: one that serves the surface and the project)'),
    priority: z.int().min(-100).max(100).default(0).describe('Higher goes first'),
    budget: budgetSchema.default({}),
    record: recordSchema.default({ screenshots: 'failure' }),
    labels: labelsSchema.default({}),
    expiresIn: z
      .int()
      .min(1)
      .max(2_592_000)
      .optional()
      .describe('Seconds the run may wait in the queue before it fails (default: for ever)'),
  })
  .refine(
    ({ workflow, definition, steps }) =>
      [workflow, definition, steps].filter((part) => part !== undefined).length === 1,
    {
      error: 'Give exactly one of workflow, definition, steps',
    },
  )
  .refine(({ version, workflow }) => version === undefined || workflow !== undefined, {
    error: '`version` goes with `workflow`',
    path: ['version'],
  })
  .meta({ id: 'SubmitRun' });
export type SubmitRun = z.infer<typeof submitRunSchema>;

/** A run as a client sees it. Secret inputs show as `"••••"`. */
export const runViewSchema = z
  .object({
    id: idSchema,
    status: runStatusSchema,
    workflow: z.object({ id: idSchema.nullable(), name: slugSchema, version: z.int().nullable() }).nullable(),
    surface: surfaceKindSchema,
    fleet: slugSchema,
    inputs: inputsSchema,
    output: jsonSchema.nullable(),
    error: errorViewSchema.nullable(),
    priority: z.int(),
    budget: budgetSchema,
    record: recordSchema,
    labels: labelsSchema,
    epoch: z.int().min(0).describe('Number of the current or last attempt'),
    attempts: z.int().min(0).describe('Attempts that a worker accepted'),
    stepCount: z.int().min(1),
    currentStep: z.int().min(0).nullable().describe('Index of the step at work or last done'),
    worker: z.string().nullable(),
    question: openQuestionSchema.nullable().describe('What a person is asked, in `awaiting_user`'),
    retryOf: idSchema.nullable(),
    createdAt: instantSchema,
    startedAt: instantSchema.nullable(),
    finishedAt: instantSchema.nullable(),
  })
  .meta({ id: 'Run' });
export type RunView = z.infer<typeof runViewSchema>;

/** A step of a run: the checkpoint. */
export const runStepViewSchema = z
  .object({
    index: z.int().min(0),
    id: z.string().nullable(),
    title: z.string(),
    action: z.string(),
    status: stepStatusSchema,
    epoch: z.int().min(0).nullable(),
    rung: z.int().min(0).max(4).nullable().describe('How the step was carried out: 0 is replay, without a model'),
    value: jsonSchema.nullable().describe('What the step read'),
    error: errorViewSchema.nullable(),
    startedAt: instantSchema.nullable(),
    finishedAt: instantSchema.nullable(),
  })
  .meta({ id: 'RunStep' });
export type RunStepView = z.infer<typeof runStepViewSchema>;
