import { z } from 'zod';
import { submitRunSchema } from '../run/run.schema.ts';
import { idSchema, slugSchema } from '../primitives.schema.ts';
import { defineRoute } from './route-definition.ts';
import { workflowDetailSchema } from './workflows.routes.ts';

/** Body of `POST /v1/runs/{run}/compile`. */
export const compileRunSchema = z
  .strictObject({
    name: slugSchema
      .optional()
      .describe('Name of the workflow, which gets a new version if it is there (default: that of the run’s workflow)'),
    verify: z
      .boolean()
      .default(false)
      .describe('Submit a run of it with the same inputs, where no step of it is one that must not happen twice'),
    inputs: submitRunSchema.shape.inputs.describe(
      'With `verify`: secret inputs, which are not readable, and others to change',
    ),
  })
  .meta({ id: 'CompileRun' });
export type CompileRun = z.infer<typeof compileRunSchema>;

/** A workflow made of a run. */
export const compileRunResultSchema = z
  .object({
    workflow: workflowDetailSchema,
    notes: z.array(z.string()).describe('What was not carried over, and what to look at, in sentences'),
    verification: z
      .object({
        run: idSchema.nullable().describe('The run that tries it; null: none was submitted'),
        reason: z.string().nullable().describe('Why none was submitted'),
        proposal: idSchema
          .nullable()
          .default(null)
          .describe(
            'Where what comes of it is kept: `GET /v1/proposals/{proposal}`; null: the version is published already',
          ),
      })
      .nullable()
      .describe('null: none was asked for'),
  })
  .meta({ id: 'CompileRunResult' });
export type CompileRunResult = z.infer<typeof compileRunResultSchema>;

export const compilationRoutes = {
  compileRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/compile',
    tag: 'Runs',
    summary: 'Turn what an agent did into a workflow',
    description:
      'Each goal of a completed run becomes the steps that reached it; the workflow needs no model. It is kept as a version, a draft. ' +
      'Answers 409 for a run that has not completed or has no goal, and where what was done cannot be done again without a model; ' +
      '410 once the project no longer keeps the events of the run.',
    role: 'operator',
    params: z.object({ run: idSchema.describe('Id of the run') }),
    body: compileRunSchema,
    responses: { 200: { description: 'The workflow', schema: compileRunResultSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'GONE', 'UNAVAILABLE'],
  }),
} as const;
