import type { Json } from '@pilothouse/contract/primitives.schema';
import { walkNodes, isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { BranchNode } from '@pilothouse/contract/workflow/parallel.schema';
import { isNonIdempotent, pageBranchesOf, type ParallelStep } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { walkReachableNodes } from '../workflow/step-effects.ts';
import { nodeValueType } from '../workflow/step-types.ts';
import type { Program, InterpreterState } from './interpreter-state.ts';

/** A branch to execute. A request is a branch of one step without a page. */
export interface ParallelBranch {
  readonly name: string;
  readonly nodes: readonly BranchNode[];
  readonly isPage: boolean;
}

/** Display path of a branch step. `3/left/2[1]/1` is in the second iteration of a loop in branch `left` of step 3. */
export const branchStepPath = (stepPath: string, name: string, inner: string): string => `${stepPath}/${name}/${inner}`;

/** The branches of a step in the order of the file. */
export const branchesInOrder = (step: ParallelStep): ParallelBranch[] => {
  const pages = new Map(pageBranchesOf(step));
  return Object.entries(step.branches).map(([name, branch]) => {
    const nodes = pages.get(name);
    return nodes ? { name, nodes, isPage: true } : { name, nodes: [branch as BranchNode], isPage: false };
  });
};

/** Actions that change neither the site nor the browser, except its page. */
const READ_ONLY_ACTIONS: ReadonlySet<string> = new Set([
  ...[
    'navigate',
    'goBack',
    'goForward',
    'reload',
    'switchTab',
    'closeTab',
    'hover',
    'scroll',
    'wait',
    'waitFor',
    'assert',
  ],
  ...['extract', 'observe', 'screenshot', 'pdf', 'checkCondition', 'http'],
]);

/** True if a branch only navigates and reads. Its values stay valid when its page is lost. */
export const isReadOnlyBranch = ({ nodes }: Pick<ParallelBranch, 'nodes'>, workflows: Program['workflows']): boolean =>
  [...walkReachableNodes(nodes, workflows)].every(
    (node) => isBlock(node) || (READ_ONLY_ACTIONS.has(node.action) && !isNonIdempotent(node)),
  );

/** Value of a branch: values of its steps and loops by id, null for skipped ones. */
export const branchValue = (
  nodes: readonly WorkflowNode[],
  { scope }: InterpreterState,
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    [...walkNodes(nodes)].flatMap(({ node }) =>
      node.id === undefined || nodeValueType(node) === null ? [] : [[node.id, scope.steps[node.id]?.value ?? null]],
    ),
  );
