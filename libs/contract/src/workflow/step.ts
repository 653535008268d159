import { z } from 'zod';
import { actionSchemas, type Action } from '../action/action.ts';
import { conditionSchema } from '../action/condition.ts';
import { nameSchema } from '../scalar.ts';

/** What every step may say besides its action. */
const stepFields = {
  id: nameSchema.optional().describe('Name of the step, to use its value as `{{steps.<id>.value}}`'),
  title: z.string().min(1).max(200).optional().describe('What people see instead of the action'),
  timeout: z.number().positive().max(3600).optional().describe('Seconds the step may take (default 30)'),
  expect: conditionSchema.optional().describe('What is to be true afterwards; checked within the time of the step'),
  repeatable: z
    .boolean()
    .optional()
    .describe('false: the step must not happen twice, e.g. placing an order (default: true)'),
  onUnknown: z
    .enum(['verify', 'repeat', 'ask', 'fail'])
    .optional()
    .describe(
      'What a worker that takes over does when this step may have half-happened (default: verify by `expect` or the target of the next step, then ask if not repeatable, else repeat)',
    ),
};

/** One instruction of a workflow. */
export const stepSchema = z
  .discriminatedUnion(
    'action',
    [
      actionSchemas.navigate.safeExtend(stepFields),
      actionSchemas.click.safeExtend(stepFields),
      actionSchemas.type.safeExtend(stepFields),
      actionSchemas.press.safeExtend(stepFields),
      actionSchemas.select.safeExtend(stepFields),
      actionSchemas.upload.safeExtend(stepFields),
      actionSchemas.waitFor.safeExtend(stepFields),
      actionSchemas.assert.safeExtend(stepFields),
      actionSchemas.extract.safeExtend(stepFields),
      actionSchemas.screenshot.safeExtend(stepFields),
    ],
    {
      error: (issue) =>
        issue.code === 'invalid_union'
          ? `A step needs an \`action\`: one of ${Object.keys(actionSchemas).join(', ')}`
          : undefined,
    },
  )
  .meta({ id: 'Step', description: 'One instruction of a workflow' });
export type Step = z.infer<typeof stepSchema>;

/** Seconds a step may take when it does not say. */
export const DEFAULT_STEP_SECONDS = 30;

/** The action of a step, without what belongs to the step. */
export function actionOf(step: Step): Action {
  const { id, title, timeout, expect, repeatable, onUnknown, ...action } = step;
  return action;
}

/** Steps of a workflow or of an inline run. */
export const stepsSchema = z
  .array(stepSchema)
  .min(1, 'A workflow has at least one step')
  .max(1000, 'A workflow has at most 1000 steps')
  .superRefine((steps, context) => {
    const seen = new Map<string, number>();
    for (const [index, { id }] of steps.entries()) {
      if (id === undefined) continue;
      const first = seen.get(id);
      if (first !== undefined) {
        context.addIssue({
          code: 'custom',
          path: [index, 'id'],
          message: `Step ${first} has the id "${id}" already; ids are unique`,
        });
      }
      seen.set(id, first ?? index);
    }
  });
