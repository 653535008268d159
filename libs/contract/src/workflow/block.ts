import { z } from 'zod';
import { targetSchema } from '../action/locator.ts';
import { jsonSchema, nameSchema } from '../scalar.ts';
import { commonFields, stepActions, stepSchema, type Step } from './step.ts';
import { expressionSchema, testSchema } from './test.ts';

/*
 * Control flow: blocks stand in a list of steps among the steps, and hold lists of their own. What a run does is the steps that they
 * lead to, one after the other. To add a block: its schema here, what it means in core/program, a sentence in docs/workflows.md.
 * The types of lists go round in a circle, which zod's inference cannot follow: those four fields are written down.
 */

/** Most rounds a loop may be allowed. */
export const MAX_ROUNDS = 10_000;

/** Rounds of a loop that does not say. */
export const DEFAULT_ROUNDS = { forEach: 1000, forEachPage: 100, repeat: 100 } as const;

/** Steps under a block. */
const listSchema: z.ZodType<Node[], NodeSource[]> = z.lazy(() => z.array(nodeSchema).min(1, 'Give at least one step'));

const rounds = (kind: keyof typeof DEFAULT_ROUNDS) =>
  z
    .int()
    .min(1)
    .max(MAX_ROUNDS)
    .optional()
    .describe(`Most rounds (default ${DEFAULT_ROUNDS[kind]}); a loop that wants more fails with LOOP_LIMIT`);

const loopFields = {
  index: nameSchema.optional().describe('Name of the number of the round, from 0, as `vars.<name>`'),
  collect: jsonSchema
    .optional()
    .describe('What each round adds to the list that is the value of the loop: any JSON with templates'),
  ...commonFields,
};

const group = z.strictObject({
  action: z.literal('group').describe('Steps that belong together, e.g. under one `when`'),
  ...commonFields,
});

const forEach = z.strictObject({
  action: z.literal('forEach').describe('Steps for each element of a list'),
  in: z
    .union([expressionSchema, z.array(jsonSchema)])
    .describe(
      'The list: an expression, e.g. `steps.rows.value`, or the list itself. Looked at once, before the first round',
    ),
  as: nameSchema.optional().describe('Name of the element in `vars` (default: item)'),
  max: rounds('forEach'),
  ...loopFields,
});

const forEachPage = z.strictObject({
  action: z.literal('forEachPage').describe('Steps on each page, until there is no next one'),
  next: targetSchema.describe('What leads to the next page; when it is not visible, or disabled, the page is the last'),
  max: rounds('forEachPage'),
  ...loopFields,
});

const repeat = z.strictObject({
  action: z.literal('repeat').describe('Steps again and again until something is so; at least once'),
  until: testSchema.describe('Looked at after each round: an expression, or a condition of the page'),
  max: rounds('repeat'),
  ...loopFields,
});

const tryBlock = z.strictObject({
  action: z.literal('try').describe('Steps that may fail'),
  as: nameSchema.optional().describe('Name of the error in `vars`, with `code` and `message` (default: error)'),
  ...commonFields,
});

const set = z.strictObject({
  action: z.literal('set').describe('Give variables a value'),
  vars: z
    .record(nameSchema, jsonSchema)
    .describe('By name: a text is an expression, everything else the value itself. Used as `vars.<name>`'),
  ...commonFields,
});

/** Name of a workflow that is called. */
export const calledSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:@[1-9][0-9]{0,8}(?::[a-z0-9-]{1,63})?)?$/,
    'Use the name of a workflow, e.g. `log-in` or `log-in@3`',
  );

const call = z.strictObject({
  action: z.literal('call').describe('Carry out another workflow; its output is the value of the step'),
  workflow: calledSchema.describe(
    'Its name in `workflows` of this file, or in the project: the version published at submit, or with `@3` that one',
  ),
  inputs: z.record(nameSchema, jsonSchema).optional().describe('Its inputs: any JSON with templates'),
  ...commonFields,
});

/** What leads to steps, and has no outcome of its own. */
export type Block =
  | (z.infer<typeof group> & { steps: Node[]; else?: Node[] | undefined })
  | (z.infer<typeof forEach> & { steps: Node[] })
  | (z.infer<typeof forEachPage> & { steps: Node[] })
  | (z.infer<typeof repeat> & { steps: Node[] })
  | (z.infer<typeof tryBlock> & { steps: Node[]; catch?: Node[] | undefined; finally?: Node[] | undefined })
  | z.infer<typeof set>
  | z.infer<typeof call>;
export type BlockOf<Name extends Block['action']> = Extract<Block, { action: Name }>;

/** What stands in a list of steps: a step, or a block of control flow. */
export type Node = Step | Block;

/** The same as it is written: what has a default may be left out. */
export type NodeSource =
  | z.input<typeof stepSchema>
  | (z.input<typeof group> & { steps: NodeSource[]; else?: NodeSource[] | undefined })
  | (z.input<typeof forEach> & { steps: NodeSource[] })
  | (z.input<typeof forEachPage> & { steps: NodeSource[] })
  | (z.input<typeof repeat> & { steps: NodeSource[] })
  | (z.input<typeof tryBlock> & {
      steps: NodeSource[];
      catch?: NodeSource[] | undefined;
      finally?: NodeSource[] | undefined;
    })
  | z.input<typeof set>
  | z.input<typeof call>;

const list = { steps: listSchema };

/** @see Node */
export const nodeSchema: z.ZodType<Node, NodeSource> = z
  .discriminatedUnion(
    'action',
    [
      ...stepSchema.options,
      group.safeExtend({ ...list, else: listSchema.optional().describe('Steps in their place when `when` is not so') }),
      forEach.safeExtend(list),
      forEachPage.safeExtend(list),
      repeat.safeExtend(list),
      tryBlock.safeExtend({
        ...list,
        catch: z
          .lazy(() => z.array(nodeSchema))
          .optional()
          .describe('Steps when one of them failed; an empty list passes over it'),
        finally: listSchema.optional().describe('Steps afterwards, whatever happened'),
      }),
      set,
      call,
    ],
    {
      error: (issue) =>
        issue.code === 'invalid_union'
          ? `A step needs an \`action\`: one of ${[...stepActions, ...blockActions].join(', ')}`
          : undefined,
    },
  )
  .meta({ id: 'Node', description: 'A step of a workflow, or steps under control flow' });

export const blockActions = [
  'group',
  'forEach',
  'forEachPage',
  'repeat',
  'try',
  'set',
  'call',
] as const satisfies Block['action'][];

/** Whether it is control flow. */
export const isBlock = (node: Node): node is Block => (blockActions as readonly string[]).includes(node.action);

/** A list that a block holds, by the field it stands in. */
export interface NodeList {
  readonly field: 'steps' | 'else' | 'catch' | 'finally';
  readonly list: readonly Node[];
}

/** The lists that a node holds, in the order of the file. */
export function listsOf(node: Node): NodeList[] {
  const { steps, else: otherwise, catch: caught, finally: last } = node as Partial<Record<NodeList['field'], Node[]>>;
  const lists = { steps, else: otherwise, catch: caught, finally: last };
  return Object.entries(lists).flatMap(([field, nodes]) =>
    nodes ? [{ field: field as NodeList['field'], list: nodes }] : [],
  );
}

/** Everything in lists of steps, in the order of the file, each with its path. */
export function* eachNode(
  nodes: readonly Node[],
  path: readonly (string | number)[] = [],
): Generator<{ node: Node; path: readonly (string | number)[] }> {
  for (const [at, node] of nodes.entries()) {
    const here = [...path, at];
    yield { node, path: here };
    for (const { field, list: inner } of listsOf(node)) yield* eachNode(inner, [...here, field]);
  }
}

/** Steps that a workflow is written with: those in blocks are counted, blocks are not. */
export const countSteps = (nodes: readonly Node[]): number =>
  [...eachNode(nodes)].filter(({ node }) => !isBlock(node)).length;

/** Steps of a workflow or of an inline run. */
export const stepsSchema = z
  .array(nodeSchema)
  .min(1, 'A workflow has at least one step')
  .max(1000, 'A workflow has at most 1000 steps')
  .superRefine((nodes, context) => {
    const seen = new Map<string, string>();
    const all = [...eachNode(nodes)];
    for (const { node, path } of all) {
      if (node.id === undefined) continue;
      const first = seen.get(node.id);
      if (first !== undefined) {
        context.addIssue({
          code: 'custom',
          path: [...path, 'id'],
          message: `Step ${first} has the id "${node.id}" already; ids are unique`,
        });
      }
      seen.set(node.id, first ?? path.join('/'));
    }
    if (all.length > 1000) context.addIssue({ code: 'custom', message: 'A workflow has at most 1000 steps' });
  });
