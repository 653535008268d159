import { z } from 'zod';
import { workflowEgressSchema } from '../project/egress.schema.ts';
import { turnRecordingSchema } from '../agent/turn-recording.schema.ts';
import { traceSchema } from '../model/model-settings.schema.ts';
import { politenessSchema } from '../project/politeness.schema.ts';
import {
  idSchema,
  timestampSchema,
  jsonSchema,
  identifierSchema,
  slugSchema,
  surfaceKindSchema,
} from '../primitives.schema.ts';
import { stepsSchema } from './workflow-node.schema.ts';
import { workflowRefSchema } from './control-flow.schema.ts';
import { browserOptionsSchema } from './browser-options.schema.ts';
import { desktopOptionsSchema } from './desktop-options.schema.ts';
import { withKnownKeys } from '../errors/field-errors.ts';
import { UNKNOWN_WORKFLOW_KEY } from '../errors/foreign-keys.ts';
import { healingModeSchema, actionCacheModeSchema } from './goal.schema.ts';
import { valueSchema } from './value.schema.ts';

/** One typed input of a workflow. */
export const inputSchema = z
  .strictObject({
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'file'])
      .describe('JSON type of the value; `file` is the id of an upload'),
    title: z.string().max(200).optional(),
    description: z.string().max(2000).optional(),
    default: jsonSchema
      .optional()
      .describe('Default value. Without it the input is required, unless `optional` is true'),
    optional: z
      .boolean()
      .optional()
      .describe('true: the input may be missing. Templates then read null (default: false)'),
    secret: z
      .boolean()
      .optional()
      .describe(
        'true: encrypted at rest, fetched at the moment of typing, masked in everything stored. Only for strings (default: false)',
      ),
    ...valueSchema.pick({
      enum: true,
      format: true,
      pattern: true,
      minLength: true,
      maxLength: true,
      minimum: true,
      maximum: true,
      minItems: true,
      maxItems: true,
      items: true,
      properties: true,
      required: true,
    }).shape,
  })
  .refine(({ secret, type }) => !secret || type === 'string', {
    error: 'Only an input of type string can be secret: set `type: string`',
    path: ['secret'],
  })
  .refine((input) => !input.secret || input.default === undefined, {
    error: 'A secret cannot have a default, because every reader of the workflow would see it: remove `default`',
    path: ['default'],
  })
  .meta({ id: 'WorkflowInput' });
export type WorkflowInput = z.infer<typeof inputSchema>;

/** A workflow inside another one, for `call`. */
export const subworkflowSchema = z
  .strictObject({
    title: z.string().min(1).max(200).optional(),
    description: z.string().max(5000).optional(),
    inputs: z.record(identifierSchema, inputSchema).default({}),
    steps: stepsSchema,
    output: jsonSchema.optional().describe('Value of the `call` step: any JSON with templates'),
    outputSchema: valueSchema.optional(),
  })
  .meta({ id: 'Subworkflow' });
export type Subworkflow = z.infer<typeof subworkflowSchema>;

/** Handling of repaired locators: proposed or published. */
export const repairPolicySchema = z
  .enum(['propose', 'publish'])
  .meta({ id: 'RepairPolicy' })
  .describe('`propose`: a person publishes the repaired locators; `publish`: they are published after verification');
export type RepairPolicy = z.infer<typeof repairPolicySchema>;

/** A workflow in YAML or JSON. */
export const workflowDefinitionSchema = z
  .strictObject(
    {
      $schema: z.string().optional().describe('Path or URL of the JSON Schema, for editors. It is not stored'),
      name: slugSchema.describe('Name of the workflow, unique in the project: lower-case letters, digits and hyphens'),
      title: z.string().min(1).max(200).optional(),
      description: z.string().max(5000).optional(),
      surface: surfaceKindSchema
        .default('browser')
        .describe('Surface of the steps: `browser` or `desktop` (default: browser)'),
      browser: browserOptionsSchema.optional().describe('Browser settings'),
      desktop: desktopOptionsSchema.optional().describe('Desktop settings, only with `surface: desktop`'),
      inputs: z.record(identifierSchema, inputSchema).default({}).describe('Typed inputs by name'),
      steps: stepsSchema,
      workflows: z
        .record(workflowRefSchema, subworkflowSchema)
        .optional()
        .describe('Workflows that `call` steps of this file use, by name'),
      output: jsonSchema
        .optional()
        .describe('Result of a run: any JSON with templates, e.g. `{ rows: "{{steps.rows.value}}" }`'),
      outputSchema: valueSchema
        .optional()
        .describe('JSON Schema of the output. A run whose output does not match fails with OUTPUT_INVALID'),
      egress: workflowEgressSchema
        .optional()
        .describe('Hosts that runs may reach, in addition to the rules of the project and the run'),
      politeness: politenessSchema
        .optional()
        .describe('Site limits for all runs of this workflow, in addition to those of the project'),
      timeout: z
        .number()
        .positive()
        .max(86_400)
        .optional()
        .describe('Maximum duration of a run in seconds, at most 86400 (a day)'),
      onWorkerLost: z
        .enum(['resume', 'restart', 'fail'])
        .optional()
        .describe(
          'Recovery after the loss of the worker. `resume` continues from the last safe point, `restart` starts again, `fail` fails the run (default: resume)',
        ),
      heal: healingModeSchema
        .optional()
        .describe(
          'Healing when a target matches nothing. `auto` tries locators of earlier runs, similar elements and models; `ask` also asks a person to point at the element; `never` fails the step (default: never)',
        ),
      repairPolicy: repairPolicySchema
        .optional()
        .describe(
          'Handling of locators that healed a step: `propose` or `publish` (default: the setting of the project, initially `propose`)',
        ),
      trace: traceSchema.optional(),
      capture: z
        .strictObject({
          turns: turnRecordingSchema
            .optional()
            .describe(
              'Turns of agents that are stored for learning: `off`, `failures`, `sample` or `all` (default: the setting of the project)',
            ),
        })
        .optional()
        .describe('Data that runs of this workflow store for learning. A run overrides it'),
      actionCache: actionCacheModeSchema
        .optional()
        .describe(
          '`auto`: agents repeat actions that worked on the same page without a model call; `never`: they always call the model (default: the setting of the project, initially `auto`)',
        ),
      answerTimeout: z
        .number()
        .positive()
        .max(2_592_000)
        .optional()
        .describe('Time to answer a question in seconds, after which the run fails (default: 86400, a day)'),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? (withKnownKeys(issue) ?? UNKNOWN_WORKFLOW_KEY) : undefined,
    },
  )
  .meta({ id: 'WorkflowDefinition', description: 'Pilothouse workflow' });
export type WorkflowDefinition = z.infer<typeof workflowDefinitionSchema>;

/** Default time to answer a question, in seconds. */
export const DEFAULT_ANSWER_SECONDS = 86_400;

/** A workflow definition as submitted, without defaults. */
export type WorkflowDefinitionInput = z.input<typeof workflowDefinitionSchema>;

/** The source text of a version. */
export const sourceTextSchema = z
  .string()
  .nullable()
  .describe('The submitted YAML file with its comments; null: it was not submitted as YAML');

/** A version of a workflow. Drafts run by number; a run without a version uses the published one. */
export const workflowVersionViewSchema = z
  .object({
    version: z.int().min(1),
    published: z.boolean(),
    createdAt: timestampSchema,
    definition: workflowDefinitionSchema,
    source: sourceTextSchema,
  })
  .meta({ id: 'WorkflowVersion' });
export type WorkflowVersionView = z.infer<typeof workflowVersionViewSchema>;

/** A workflow of a project, with its newest version. */
export const workflowViewSchema = z
  .object({
    id: idSchema,
    name: slugSchema,
    title: z.string().nullable(),
    description: z.string().nullable(),
    surface: surfaceKindSchema,
    latestVersion: z.int().min(1),
    publishedVersion: z.int().min(1).nullable(),
    archived: z.boolean(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Workflow' });
export type WorkflowView = z.infer<typeof workflowViewSchema>;
