import {
  walkAllNodes,
  isBlock,
  isNonIdempotent,
  pageBranchesOf,
  type WorkflowNode,
  type Step,
  type WorkflowDefinition,
} from '@pilothouse/contract';

type Called = Readonly<NonNullable<WorkflowDefinition['workflows']>> | undefined;

/* What a list of steps leads to by calls. */

/** Everything in lists of steps, in their branches, and in the workflows that they call, each of these once. */
export function* walkReachableNodes(
  nodes: readonly WorkflowNode[],
  workflows: Called,
  seen: Set<string> = new Set(),
): Generator<WorkflowNode> {
  for (const { node } of walkAllNodes(nodes)) {
    yield node;
    if (node.action !== 'call' || seen.has(node.workflow)) continue;
    seen.add(node.workflow);
    yield* walkReachableNodes(workflows?.[node.workflow]?.steps ?? [], workflows, seen);
  }
}

/** The step with what its branches call taken into account: where that must not happen twice, the step must not. */
export function withSubworkflowEffects(step: Step, workflows: Called): Step {
  if (step.action !== 'parallel' || isNonIdempotent(step)) return step;
  const holds = (node: WorkflowNode) =>
    !isBlock(node) && (step.repeatable === true ? node.repeatable === false : isNonIdempotent(node));
  const isSo = pageBranchesOf(step).some(([, nodes]) => [...walkReachableNodes(nodes, workflows)].some(holds));
  return isSo ? { ...step, repeatable: false } : step;
}
