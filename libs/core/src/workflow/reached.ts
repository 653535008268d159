import {
  everyNode,
  isBlock,
  isOnce,
  pageBranchesOf,
  type Node,
  type Step,
  type WorkflowDefinition,
} from '@pilothouse/contract';

type Called = Readonly<NonNullable<WorkflowDefinition['workflows']>> | undefined;

/* What a list of steps leads to by calls. */

/** Everything in lists of steps, in their branches, and in the workflows that they call, each of these once. */
export function* reachedBy(nodes: readonly Node[], workflows: Called, seen: Set<string> = new Set()): Generator<Node> {
  for (const { node } of everyNode(nodes)) {
    yield node;
    if (node.action !== 'call' || seen.has(node.workflow)) continue;
    seen.add(node.workflow);
    yield* reachedBy(workflows?.[node.workflow]?.steps ?? [], workflows, seen);
  }
}

/** The step with what its branches call taken into account: where that must not happen twice, the step must not. */
export function asCalled(step: Step, workflows: Called): Step {
  if (step.action !== 'parallel' || isOnce(step)) return step;
  const holds = (node: Node) => !isBlock(node) && (step.repeatable === true ? node.repeatable === false : isOnce(node));
  const isSo = pageBranchesOf(step).some(([, nodes]) => [...reachedBy(nodes, workflows)].some(holds));
  return isSo ? { ...step, repeatable: false } : step;
}
