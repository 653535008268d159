import { z } from 'zod';
import {
  blockActions,
  call,
  walkNodes,
  controlBlocksOver,
  isBlock,
  type Flow,
  type FlowInput,
} from './control-flow.schema.ts';
import { nearestWords } from '../nearest.ts';
import { foreignActionHint } from '../errors/foreign-keys.ts';
import { pageBranchesOf, stepActions, stepSchema, type Step } from './step.schema.ts';

/*
 * Control flow: a list contains steps and blocks, and blocks contain lists. To add a block: define its schema in control-flow.schema.ts,
 * implement it in core/src/interpreter and describe it in docs/reference/workflow/control-flow.md.
 */

interface OfNodes {
  readonly item: WorkflowNode;
}
interface OfSources {
  readonly item: WorkflowNodeInput;
}

/** A control flow block. */
export type ControlBlock = Flow<OfNodes> | z.infer<typeof call>;
export type ControlBlockOf<Name extends ControlBlock['action']> = Extract<ControlBlock, { action: Name }>;

/** A step or a control flow block. */
export type WorkflowNode = Step | ControlBlock;

/** Input type of a node: fields with defaults are optional. */
export type WorkflowNodeInput = z.input<typeof stepSchema> | FlowInput<OfSources> | z.input<typeof call>;

/** Steps under a block. */
const listSchema: z.ZodType<WorkflowNode[], WorkflowNodeInput[]> = z.lazy(() =>
  z.array(nodeSchema).min(1, 'Give at least one step'),
);
const catchStepsSchema: z.ZodType<WorkflowNode[], WorkflowNodeInput[]> = z.lazy(() => z.array(nodeSchema));

/** Message for a step whose action is missing or unknown. */
function actionProblem(input: unknown): string {
  const { action } = (typeof input === 'object' && input !== null ? input : {}) as { action?: unknown };
  const actions = [...stepActions, ...blockActions];
  if (typeof action !== 'string') return `Give the step an \`action\`: one of ${actions.join(', ')}`;
  const [near] = nearestWords(action, actions);
  return near === undefined
    ? `Unknown action: use one of ${actions.join(', ')}`
    : `Unknown action: did you mean ${near}?`;
}

/** @see WorkflowNode */
export const nodeSchema: z.ZodType<WorkflowNode, WorkflowNodeInput> = z
  .discriminatedUnion('action', [...stepSchema.options, ...controlBlocksOver(listSchema, catchStepsSchema), call], {
    error: (issue) =>
      issue.code === 'invalid_union' ? (foreignActionHint(issue.input) ?? actionProblem(issue.input)) : undefined,
  })
  .meta({ id: 'Node', description: 'Step of a workflow, or a control flow block' });

/** Yields all steps and blocks, including branches, in the order of the file, each with its path. */
export function* walkAllNodes(
  nodes: readonly WorkflowNode[],
  path: readonly (string | number)[] = [],
): Generator<{ node: WorkflowNode; path: readonly (string | number)[] }> {
  for (const entry of walkNodes(nodes, path)) {
    yield entry;
    if (isBlock(entry.node)) continue;
    for (const [name, list] of pageBranchesOf(entry.node)) yield* walkAllNodes(list, [...entry.path, 'branches', name]);
  }
}

/** Counts the steps of a workflow, including those in blocks. `set` is a step; other blocks are not counted. */
export const countSteps = (nodes: readonly WorkflowNode[]): number =>
  [...walkNodes(nodes)].filter(({ node }) => node.action === 'set' || !isBlock(node)).length;

/** Steps of a workflow or of an inline run. */
export const stepsSchema = z
  .array(nodeSchema)
  .min(1, 'Give the workflow at least one step')
  .max(1000, 'A workflow can have at most 1000 steps: move some into another workflow and `call` it')
  .superRefine((nodes, context) => {
    const pathsById = new Map<string, string>();
    const walkedNodes = [...walkNodes(nodes)];
    for (const { node, path } of walkedNodes) {
      if (node.id === undefined) continue;
      const first = pathsById.get(node.id);
      if (first !== undefined) {
        context.addIssue({
          code: 'custom',
          path: [...path, 'id'],
          message: `Step ${first} already has the id "${node.id}": use another id`,
        });
      }
      pathsById.set(node.id, first ?? path.join('/'));
    }
    if (walkedNodes.length > 1000)
      context.addIssue({
        code: 'custom',
        message: 'A workflow can have at most 1000 steps: move some into another workflow and `call` it',
      });
  });
