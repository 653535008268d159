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
      .describe('Name of the workflow. An existing workflow gets a new version (default: the workflow of the run)'),
    verify: z
      .boolean()
      .default(false)
      .describe('Also submit a run of the new version with the same inputs. Not done if a step must not happen twice'),
    inputs: submitRunSchema.shape.inputs.describe('With `verify`: values of secret inputs, and other inputs to change'),
  })
  .meta({ id: 'CompileRun' });
export type CompileRun = z.infer<typeof compileRunSchema>;

/** A workflow made of a run. */
export const compileRunResultSchema = z
  .object({
    workflow: workflowDetailSchema,
    notes: z.array(z.string()).describe('Parts that were not compiled, and what to check, one sentence each'),
    verification: z
      .object({
        run: idSchema.nullable().describe('The verification run; null: none was submitted'),
        reason: z.string().nullable().describe('Reason why no run was submitted'),
        proposal: idSchema
          .nullable()
          .default(null)
          .describe('Proposal with the result: `GET /v1/proposals/{proposal}`; null: the version is already published'),
      })
      .nullable()
      .describe('null: `verify` was not set'),
  })
  .meta({ id: 'CompileRunResult' });
export type CompileRunResult = z.infer<typeof compileRunResultSchema>;

export const compilationRoutes = {
  compileRun: defineRoute({
    method: 'POST',
    path: '/v1/runs/{run}/compile',
    tag: 'Runs',
    summary: 'Compile a run into a workflow',
    description:
      'Replaces each goal of a completed run by the steps that reached it, so that the workflow needs no model. Stores the result as a draft version. Returns 409 if the run is not completed, has no goal, or contains an action that cannot be repeated without a model. Returns 410 after the retention period of events.',
    role: 'operator',
    params: z.object({ run: idSchema.describe('Id of the run') }),
    body: compileRunSchema,
    responses: { 200: { description: 'The workflow', schema: compileRunResultSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'GONE', 'UNAVAILABLE'],
  }),
} as const;
