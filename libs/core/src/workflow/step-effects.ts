import { readOnlyActions } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { isEphemeralLocator, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { type Step, isNonIdempotent, isSurfaceStep, pageBranchesOf } from '@pilothouse/contract/workflow/step.schema';
import { type WorkflowNode, walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';

/**
 * Condition that shows that a step ran: its `expect`, or else the target of the next step.
 * @returns null if it does not exist
 */
export function postconditionOf(step: Step, next: Step | undefined): Condition | null {
  if (step.expect) return step.expect;
  if (!next) return null;
  if (next.action === 'waitFor' || next.action === 'assert') return next.condition;
  const locators = 'target' in next && next.target !== undefined ? toLocatorChain(next.target) : [];
  /* An index or a point refers to the lost surface. */
  const stable = locators.filter((locator) => !isEphemeralLocator(locator));
  return stable.length > 0 ? { visible: stable.length === 1 && stable[0] ? stable[0] : stable } : null;
}

/** True if the condition is checked before the step too. If it did not hold then, holding later proves that the step ran. */
export function needsPreCheck(step: Step): boolean {
  const { onInterrupted, expect } = step;
  if (onInterrupted !== undefined && onInterrupted !== 'verify')
    return onInterrupted === 'rerun' && isNonIdempotent(step);
  return isNonIdempotent(step) || onInterrupted === 'verify' || expect !== undefined;
}

/** True if the step is read-only. */
export const isReadOnlyStep = (step: Step) =>
  isPureRead(step) ||
  step.action === 'saveProfile' ||
  (step.action !== 'extract' && isSurfaceStep(step) && readOnlyActions.has(step.action));

/** True if the step does not affect the surface, so that its effect survives the loss of the surface. */
export const isRequestStep = (step: Step | undefined): boolean =>
  step?.action === 'http' || (step?.action === 'parallel' && pageBranchesOf(step).length === 0);

/** True if the value is the whole effect of the step, so that it need not run again. */
export const isPureRead = (step: Step) =>
  step.action === 'checkCondition' ||
  isRequestStep(step) ||
  (step.action === 'extract' && step.table?.next === undefined);

type Subworkflows = Readonly<NonNullable<WorkflowDefinition['workflows']>> | undefined;

/* Steps that a list reaches through calls. */

/** Yields the nodes of step lists, their branches and called workflows, each workflow once. */
export function* walkReachableNodes(
  nodes: readonly WorkflowNode[],
  workflows: Subworkflows,
  visited: Set<string> = new Set(),
): Generator<WorkflowNode> {
  for (const { node } of walkAllNodes(nodes)) {
    yield node;
    if (node.action !== 'call' || visited.has(node.workflow)) continue;
    visited.add(node.workflow);
    yield* walkReachableNodes(workflows?.[node.workflow]?.steps ?? [], workflows, visited);
  }
}

/** The step with the effects of the workflows that its branches call. If one is not idempotent, the step is not. */
export function withSubworkflowEffects(step: Step, workflows: Subworkflows): Step {
  if (step.action !== 'parallel' || isNonIdempotent(step)) return step;
  const isNonIdempotentNode = (node: WorkflowNode) =>
    !isBlock(node) && (step.idempotent === true ? node.idempotent === false : isNonIdempotent(node));
  const callsNonIdempotent = pageBranchesOf(step).some(([, nodes]) =>
    [...walkReachableNodes(nodes, workflows)].some(isNonIdempotentNode),
  );
  return callsNonIdempotent ? { ...step, idempotent: false } : step;
}
