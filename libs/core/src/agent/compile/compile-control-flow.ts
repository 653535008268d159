import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { type WorkflowNode, walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { evaluate } from '../../workflow/expressions.ts';
import { findTemplates } from '../../workflow/templates.ts';
import type { KnownValue } from './templatizer.ts';
import { recordedStepValues, type CompileScope } from './compile-scope.ts';

/** True if steps, including their blocks and branches, contain a goal. */
export const hasGoal = (nodes: readonly WorkflowNode[]): boolean =>
  [...walkAllNodes(nodes)].some(({ node }) => node.action === 'goal');

/** True if steps, or workflows that they call, contain a goal. */
export const reachesGoal = (
  nodes: readonly WorkflowNode[],
  definition: Pick<WorkflowDefinition, 'workflows'>,
): boolean =>
  [...walkAllNodes(nodes)].some(({ node }) => {
    const subworkflow = node.action === 'call' ? definition.workflows?.[node.workflow] : undefined;
    return node.action === 'goal' || (subworkflow !== undefined && reachesGoal(subworkflow.steps, definition));
  });

/**
 * True if a removed step is still referenced.
 * @param recordedNodes original steps
 * @param json JSON of everything that may reference them
 */
export function losesStepValue(
  recordedNodes: readonly WorkflowNode[],
  steps: readonly WorkflowNode[],
  json: string,
): boolean {
  const [idsBefore, idsAfter] = [recordedNodes, steps].map((nodes) =>
    [...walkAllNodes(nodes)].flatMap(({ node }) => node.id ?? []),
  );
  return (idsBefore ?? []).some((id) => !idsAfter?.includes(id) && json.includes(`steps.${id}.`));
}

/** Number of calls of a workflow. */
export const countCalls = (
  name: string,
  { steps, workflows }: Pick<WorkflowDefinition, 'steps' | 'workflows'>,
): number =>
  [steps, ...Object.values(workflows ?? {}).map((subworkflow) => subworkflow.steps)]
    .flatMap((nodes) => [...walkAllNodes(nodes)])
    .filter(({ node }) => node.action === 'call' && node.workflow === name).length;

export type ForEach = Extract<WorkflowNode, { action: 'forEach' }>;

/** Items of a loop in a run; null: unknown. */
export function loopItems(
  { in: source }: ForEach,
  scope: CompileScope,
  events: readonly RunEvent[],
): readonly Json[] | null {
  if (typeof source !== 'string') return findTemplates(JSON.stringify(source)).length === 0 ? source : null;
  const { inputs } = scope;
  try {
    const value = evaluate(source, { inputs, vars: {}, steps: recordedStepValues(scope, events), run: { id: '' } });
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Values of one iteration with their templates: the item, or its fields. */
export function itemValues({ as: name = 'item' }: ForEach, item: Json): KnownValue[] {
  const valuesIn = (value: Json, path: string): KnownValue[] =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? [{ template: `{{${path}}}`, value }]
      : Object.entries(value).flatMap(([key, child]) =>
          /^[A-Za-z_]\w*$/.test(key) ? valuesIn(child, `${path}.${key}`) : [],
        );
  return valuesIn(item, `vars.${name}`);
}
