import { walkAllNodes, type WorkflowNode, type WorkflowDefinition } from '@pilothouse/contract';

/** Whether a goal stands among steps, in a block or in a branch of them. */
export const hasGoal = (nodes: readonly WorkflowNode[]): boolean =>
  [...walkAllNodes(nodes)].some(({ node }) => node.action === 'goal');

/** Whether a goal stands among steps, or in a workflow that they call. */
export const reachesGoal = (
  nodes: readonly WorkflowNode[],
  definition: Pick<WorkflowDefinition, 'workflows'>,
): boolean =>
  [...walkAllNodes(nodes)].some(({ node }) => {
    const called = node.action === 'call' ? definition.workflows?.[node.workflow] : undefined;
    return node.action === 'goal' || (called !== undefined && reachesGoal(called.steps, definition));
  });

/**
 * Whether steps name what a step read that is not there any more.
 * @param before the steps that were there
 * @param said all that may name them now, as JSON
 */
export function losesStepValue(before: readonly WorkflowNode[], steps: readonly WorkflowNode[], said: string): boolean {
  const [had, has] = [before, steps].map((nodes) => [...walkAllNodes(nodes)].flatMap(({ node }) => node.id ?? []));
  return (had ?? []).some((id) => !has?.includes(id) && said.includes(`steps.${id}.`));
}

/** In how many places a workflow is called. */
export const countCalls = (
  name: string,
  { steps, workflows }: Pick<WorkflowDefinition, 'steps' | 'workflows'>,
): number =>
  [steps, ...Object.values(workflows ?? {}).map((called) => called.steps)]
    .flatMap((nodes) => [...walkAllNodes(nodes)])
    .filter(({ node }) => node.action === 'call' && node.workflow === name).length;
