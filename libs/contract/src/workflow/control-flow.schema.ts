import { z } from 'zod';
import { conditionSchema } from '../actions/condition.schema.ts';
import { identifierSchema, jsonSchema } from '../primitives.schema.ts';
import { targetSchema } from '../actions/locator.schema.ts';

/** An expression (CEL) over `inputs`, `steps`, `vars` and `run`. */
export const expressionSchema = z
  .string()
  .min(1, 'The expression is empty: write one, e.g. `size(steps.rows.value) > 0`')
  .max(2000)
  .meta({ id: 'Expression', description: 'CEL expression, e.g. `size(steps.rows.value) > 0`' });

/** A boolean expression, or a condition of the page. */
export const predicateSchema = z.union([expressionSchema, conditionSchema], {
  error: 'Use an expression (a string), or a page condition such as `{ visible: { text: Next } }`',
});

/** Reserved words in the path of a step. */
export const reservedStepIds: ReadonlySet<string> = new Set('if until more next else catch finally'.split(' '));

/** Replaces the position in the path of the step, so that the path survives edits of the workflow. */
const stepIdSchema = identifierSchema.refine((id) => !reservedStepIds.has(id), {
  error: ({ input }) => `"${String(input)}" is reserved in step paths: use another id`,
});

/** Fields of every step and block. */
export const commonNodeFields = {
  id: stepIdSchema
    .optional()
    .describe(
      'Id of the step, unique in the workflow. Its value is `{{steps.<id>.value}}`. The id replaces the position in the step path',
    ),
  title: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Title that the console and the CLI show instead of the action'),
  if: predicateSchema
    .optional()
    .describe('Run the step only if this holds: an expression, or a page condition. A skipped step has the value null'),
};

/*
 * Control flow over a list of steps, of a workflow or of a branch. The types of the lists are recursive, which zod cannot infer: these
 * four fields are declared by hand.
 */

/** Maximum number of iterations that a loop may allow. */
export const MAX_ITERATIONS = 10_000;

/** Default maximum number of iterations. */
export const DEFAULT_MAX_ITERATIONS = { forEach: 1000, paginate: 100, loop: 100 } as const;

const rounds = (kind: keyof typeof DEFAULT_MAX_ITERATIONS) =>
  z
    .int()
    .min(1)
    .max(MAX_ITERATIONS)
    .optional()
    .describe(
      `Maximum number of iterations (default: ${DEFAULT_MAX_ITERATIONS[kind]}). Beyond it the loop fails with LOOP_LIMIT_EXCEEDED`,
    );

const loopFields = {
  index: identifierSchema.optional().describe('Variable for the index of the iteration, from 0: `vars.<name>`'),
  collect: jsonSchema
    .optional()
    .describe(
      'Value that each iteration appends to the list: any JSON with templates. The list is the value of the loop',
    ),
  ...commonNodeFields,
};

const group = z.strictObject({
  action: z.literal('group').describe('Group steps, e.g. under a common `if`, with an optional `else`'),
  ...commonNodeFields,
});

const forEach = z.strictObject({
  action: z.literal('forEach').describe('Run steps for each element of a list'),
  in: z
    .union([expressionSchema, z.array(jsonSchema)])
    .describe(
      'List to iterate over: an expression, e.g. `steps.rows.value`, or a literal list. Evaluated once, before the first iteration',
    ),
  as: identifierSchema.optional().describe('Variable for the current element: `vars.<name>` (default: item)'),
  maxIterations: rounds('forEach'),
  ...loopFields,
});

const paginate = z.strictObject({
  action: z.literal('paginate').describe('Run steps on each page of a paginated list, and click `next` between them'),
  next: targetSchema.describe('Control that opens the next page. The loop ends when it is hidden or disabled'),
  maxIterations: rounds('paginate'),
  ...loopFields,
});

const loop = z.strictObject({
  action: z.literal('loop').describe('Repeat steps until a condition holds, at least once'),
  until: predicateSchema.describe(
    'Ends the loop when it holds: an expression, or a page condition. Checked after each iteration',
  ),
  maxIterations: rounds('loop'),
  ...loopFields,
});

const tryBlock = z.strictObject({
  action: z.literal('try').describe('Run steps and handle their failure with `catch` and `finally`'),
  as: identifierSchema
    .optional()
    .describe('Variable for the error in `catch`, with `code` and `message` (default: error)'),
  ...commonNodeFields,
});

const set = z.strictObject({
  action: z.literal('set').describe('Set variables'),
  vars: z
    .record(identifierSchema, jsonSchema)
    .describe(
      'Values by variable name: a string is an expression, anything else a literal value. Read one as `vars.<name>`',
    ),
  ...commonNodeFields,
});

/** Name of a workflow that is called. */
export const workflowRefSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:@[1-9][0-9]{0,8}(?::[a-z0-9-]{1,63})?)?$/,
    'Use the name of a workflow, optionally with a version, e.g. `log-in` or `log-in@3`',
  );

export const call = z.strictObject({
  action: z.literal('call').describe('Run another workflow. Its output is the value of the step'),
  workflow: workflowRefSchema.describe(
    'Workflow from `workflows` of this file, or from the project. The published version is used unless one is given, e.g. `log-in@3`',
  ),
  inputs: z
    .record(identifierSchema, jsonSchema)
    .optional()
    .describe('Inputs of the called workflow by name: any JSON with templates'),
  ...commonNodeFields,
});

/** Type parameter for the items of lists. Boxed, because interfaces may be recursive where type aliases may not. */
export interface ListItem {
  readonly item: unknown;
}

/** Control flow blocks except `call`, for one type of list. */
export type Flow<Of extends ListItem> =
  | (z.infer<typeof group> & { steps: Of['item'][]; else?: Of['item'][] | undefined })
  | (z.infer<typeof forEach> & { steps: Of['item'][] })
  | (z.infer<typeof paginate> & { steps: Of['item'][] })
  | (z.infer<typeof loop> & { steps: Of['item'][] })
  | (z.infer<typeof tryBlock> & {
      steps: Of['item'][];
      catch?: Of['item'][] | undefined;
      finally?: Of['item'][] | undefined;
    })
  | z.infer<typeof set>;

/** Input type of control flow blocks: fields with defaults are optional. */
export type FlowInput<Of extends ListItem> =
  | (z.input<typeof group> & { steps: Of['item'][]; else?: Of['item'][] | undefined })
  | (z.input<typeof forEach> & { steps: Of['item'][] })
  | (z.input<typeof paginate> & { steps: Of['item'][] })
  | (z.input<typeof loop> & { steps: Of['item'][] })
  | (z.input<typeof tryBlock> & {
      steps: Of['item'][];
      catch?: Of['item'][] | undefined;
      finally?: Of['item'][] | undefined;
    })
  | z.input<typeof set>;

/**
 * Schemas of all blocks except `call`, for one type of list.
 * @param steps schema of a non-empty list
 * @param catchSteps schema of a list that may be empty
 */
export const controlBlocksOver = <Item, Source>(
  steps: z.ZodType<Item[], Source[]>,
  catchSteps: z.ZodType<Item[], Source[]>,
) =>
  [
    group.safeExtend({
      steps: steps.describe('Steps to run'),
      else: steps.optional().describe('Steps to run when `if` does not hold'),
    }),
    forEach.safeExtend({ steps: steps.describe('Steps to run') }),
    paginate.safeExtend({ steps: steps.describe('Steps to run') }),
    loop.safeExtend({ steps: steps.describe('Steps to run') }),
    tryBlock.safeExtend({
      steps: steps.describe('Steps to run'),
      catch: catchSteps.optional().describe('Steps to run after a failure. An empty list ignores the failure'),
      finally: steps.optional().describe('Steps that always run last, with or without a failure'),
    }),
    set,
  ] as const;

export const blockActions = ['group', 'forEach', 'paginate', 'loop', 'try', 'set', 'call'] as const satisfies (
  Flow<ListItem> | z.infer<typeof call>
)['action'][];

export type FlowAction = (typeof blockActions)[number];

/** An item of a step list. */
interface Listed {
  readonly action: string;
}

/** True if an item is a control flow block. */
export const isBlock = <Item extends Listed>(node: Item): node is Extract<Item, { action: FlowAction }> =>
  (blockActions as readonly string[]).includes(node.action);

/** A list of a block, with the name of its field. */
export interface NodeList<Item> {
  readonly field: 'steps' | 'else' | 'catch' | 'finally';
  readonly list: readonly Item[];
}

/** Lists of a node, in the order of the file. */
export function childLists<Item extends Listed>(node: Item): NodeList<Item>[] {
  const {
    steps,
    else: elseSteps,
    catch: catchSteps,
    finally: finallySteps,
  } = node as Partial<Record<NodeList<Item>['field'], Item[]>>;
  const lists = { steps, else: elseSteps, catch: catchSteps, finally: finallySteps };
  return Object.entries(lists).flatMap(([field, nodes]) =>
    nodes ? [{ field: field as NodeList<Item>['field'], list: nodes }] : [],
  );
}

/**
 * The first step of a list; for a block, the first step inside it.
 * @param stepsOfCall steps of a called workflow; without it a `call` counts as the first step
 */
export function firstStepIn(
  nodes: readonly Listed[],
  stepsOfCall: (workflow: string) => readonly Listed[] | undefined = () => undefined,
): Listed | undefined {
  const first = nodes.find(({ action }) => action !== 'set');
  if (!first) return undefined;
  const { workflow } = first as { workflow?: string };
  const innerSteps =
    first.action === 'call' && workflow !== undefined ? stepsOfCall(workflow) : childLists(first)[0]?.list;
  return innerSteps ? firstStepIn(innerSteps, stepsOfCall) : first;
}

/** Yields all steps and blocks, in the order of the file, each with its path. */
export function* walkNodes<Item extends Listed>(
  nodes: readonly Item[],
  path: readonly (string | number)[] = [],
): Generator<{ node: Item; path: readonly (string | number)[] }> {
  for (const [index, node] of nodes.entries()) {
    const nodePath = [...path, index];
    yield { node, path: nodePath };
    for (const { field, list: inner } of childLists(node)) yield* walkNodes(inner, [...nodePath, field]);
  }
}
