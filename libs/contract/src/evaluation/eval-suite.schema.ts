import { z } from 'zod';
import { valueSchema } from '../workflow/value.schema.ts';
import { identifierSchema, jsonSchema, labelsSchema, slugSchema } from '../primitives.schema.ts';
import { budgetSchema } from '../run/budget.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';

/** Maximum tasks of a suite. */
export const MAX_EVAL_TASKS = 2_000;

/** Maximum runs of a task. */
export const MAX_EVAL_REPEATS = 100;

const urlPatternSchema = z
  .string()
  .min(1)
  .max(2_000)
  .describe('URL in which `*` is any text, or a regular expression that starts with `^`');

const oneOrMore = <Value extends z.ZodType>(value: Value) => z.union([value, z.array(value).min(1).max(100)]);

/** A check of the run's output. */
export const outputCheckSchema = z
  .strictObject({
    pointer: z.string().max(500).default('').describe('JSON Pointer into the output (default: the whole output)'),
    equals: jsonSchema.optional().describe('Expected value'),
    contains: z.string().min(1).max(10_000).optional().describe('Text that the value contains'),
    tolerance: z.number().min(0).optional().describe('With `equals`: maximum difference of numbers (default: 0)'),
    compare: z
      .enum(['exact', 'typed'])
      .default('exact')
      .describe(
        '`typed`: by the types of `schema`. Case and formatting do not matter, and a list in the place of an expected value lists alternatives',
      ),
    schema: z.record(z.string(), jsonSchema).optional().describe('With `compare: typed`: JSON Schema of the value'),
    ordered: z.boolean().default(true).describe('With `equals`: true if the order of list items matters'),
  })
  .refine(({ equals, contains }) => (equals === undefined) !== (contains === undefined), {
    error: 'Give exactly one of `equals`, `contains`',
  });
export type OutputCheck = z.infer<typeof outputCheckSchema>;

/** A check of the run's network requests. */
export const requestCheckSchema = z.strictObject({
  url: oneOrMore(urlPatternSchema).describe('URL of the request, or several alternatives'),
  method: z.string().max(20).optional().describe('HTTP method (default: any)'),
  status: oneOrMore(z.int().min(0).max(599)).optional().describe('Status of the response (default: any)'),
  query: z
    .record(z.string(), oneOrMore(z.string()))
    .optional()
    .describe('Parameters of the query. Several values are alternatives'),
  strictQuery: z
    .boolean()
    .default(false)
    .describe('true: the query may have no other parameters. Ignored if the URL pattern has a query'),
  ignoredQuery: z
    .array(z.string().min(1).max(500))
    .max(100)
    .default([])
    .describe('With `strictQuery`: names of allowed parameters, as URL patterns'),
  body: z
    .record(z.string(), jsonSchema)
    .optional()
    .describe('Values of the body, by form field, JSON member or JSONPath. A list lists alternatives'),
  response: z
    .record(z.string(), jsonSchema)
    .optional()
    .describe('Values of the JSON response, by member or JSONPath. A list lists alternatives'),
  headers: z.record(z.string(), oneOrMore(z.string())).optional().describe('Headers of the request'),
  lastOnly: z.boolean().default(false).describe('Only the last request with this URL and method is compared'),
  absent: z.boolean().default(false).describe('true: no request matches'),
});
export type RequestCheck = z.infer<typeof requestCheckSchema>;

/** A check of a run. */
export const evalCheckSchema = z.union(
  [
    z.strictObject({ output: outputCheckSchema }),
    z.strictObject({ request: requestCheckSchema }),
    z.strictObject({ error: z.enum(errorCodes).describe('The run fails with this code') }),
  ],
  { error: 'Use one of `output`, `request`, `error`' },
);
export type EvalCheck = z.infer<typeof evalCheckSchema>;

/** A task: a goal or a workflow, and the checks of its result. */
export const evalTaskSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'Use letters, digits, `_`, `.` and `-`, at most 100, e.g. `cheapest-rope`'),
    goal: z.string().min(1).max(20_000).optional().describe('Goal for an agent'),
    url: z.url().max(10_000).optional().describe('With `goal`: URL of the first page'),
    outputSchema: valueSchema.optional().describe('With `goal`: JSON Schema of the answer'),
    workflow: slugSchema.optional().describe('Name of a workflow of the project'),
    version: z.int().min(1).optional().describe('Version of the workflow (default: the published one)'),
    inputs: z.record(identifierSchema, jsonSchema).default({}),
    labels: labelsSchema.default({}),
    checks: z
      .array(evalCheckSchema)
      .max(50)
      .default([])
      .describe('The task succeeds if the run completes and all checks hold. With `error`, the run has to fail'),
  })
  .refine(({ goal, workflow }) => (goal === undefined) !== (workflow === undefined), {
    error: 'Give exactly one of `goal`, `workflow`',
  })
  .refine(({ goal, url, outputSchema }) => goal !== undefined || (url ?? outputSchema) === undefined, {
    error: '`url` and `outputSchema` require `goal`',
    path: ['goal'],
  })
  .refine(({ workflow, version }) => workflow !== undefined || version === undefined, {
    error: '`version` requires `workflow`',
    path: ['version'],
  });
export type EvalTask = z.infer<typeof evalTaskSchema>;

/** A suite of tasks for `pilothouse eval`. */
export const evalSuiteSchema = z
  .strictObject({
    name: slugSchema,
    repeat: z.int().min(1).max(MAX_EVAL_REPEATS).default(1).describe('Runs of each task'),
    budget: budgetSchema.optional().describe('Budget of each run'),
    fleet: slugSchema.optional(),
    tasks: z.array(evalTaskSchema).min(1, 'Add at least one task').max(MAX_EVAL_TASKS),
  })
  .superRefine(({ tasks }, context) => {
    const ids = new Set<string>();
    tasks.forEach(({ id }, index) => {
      if (ids.has(id))
        context.addIssue({ code: 'custom', path: ['tasks', index, 'id'], message: `The id ${id} is used twice` });
      ids.add(id);
    });
  })
  .meta({ id: 'EvalSuite' });
export type EvalSuite = z.infer<typeof evalSuiteSchema>;
