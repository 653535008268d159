import {
  type Json,
  type RunEvent,
  type WorkflowDefinition,
  type WorkflowNode,
  walkAllNodes,
} from '@pilothouse/contract';
import { evaluate } from '../../workflow/expressions.ts';
import { findTemplates } from '../../workflow/templates.ts';
import type { KnownValue } from './templatizer.ts';
import { recordedStepValues, type CompileScope } from './compile-scope.ts';

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

export type ForEach = Extract<WorkflowNode, { action: 'forEach' }>;

/** What the rounds of a loop were about; null: that is not known any more. */
export function loopItems(
  { in: source }: ForEach,
  within: CompileScope,
  events: readonly RunEvent[],
): readonly Json[] | null {
  if (typeof source !== 'string') return findTemplates(JSON.stringify(source)).length === 0 ? source : null;
  const { inputs } = within;
  try {
    const value = evaluate(source, { inputs, vars: {}, steps: recordedStepValues(within, events), run: { id: '' } });
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What one round is about, and the templates for that: the item, or what it is made of. */
export function itemValues({ as: name = 'item' }: ForEach, item: Json): KnownValue[] {
  const parts = (value: Json, path: string): KnownValue[] =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? [{ template: `{{${path}}}`, value }]
      : Object.entries(value).flatMap(([key, part]) =>
          /^[A-Za-z_]\w*$/.test(key) ? parts(part, `${path}.${key}`) : [],
        );
  return parts(item, `vars.${name}`);
}
