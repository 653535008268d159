import { isBlock, type WorkflowNode, type Step } from '@pilothouse/contract';
import type { Program } from './state.ts';

/** Whether a list of steps is carried out from the first to the last: then the number of a step is its index. */
export const isLinear = (steps: readonly WorkflowNode[]): boolean =>
  steps.every((node) => !isBlock(node) && node.when === undefined);

/** Fields of blocks that lead on in a place. */
const fields = new Set(['else', 'catch', 'finally']);

/** The step that stands at a place of a run; undefined when there is none. */
export function findStep(program: Program, at: string): Step | undefined {
  let nodes: readonly WorkflowNode[] | undefined = program.steps;
  let node: WorkflowNode | undefined;
  for (const part of at.split('/')) {
    if (fields.has(part)) {
      nodes = (node as Partial<Record<string, WorkflowNode[]>> | undefined)?.[part];
      node = undefined;
      continue;
    }
    const index = /^([1-9][0-9]*)(?:\[[1-9][0-9]*\])?$/.exec(part)?.[1];
    if (index === undefined) return node && lookedFor(node, part);
    if (node)
      nodes =
        node.action === 'call' ? program.workflows?.[node.workflow]?.steps : 'steps' in node ? node.steps : undefined;
    node = nodes?.[Number(index) - 1];
  }
  return node && !isBlock(node) ? node : undefined;
}

/** The step that a block makes for its own decision. */
function lookedFor(node: WorkflowNode, part: string): Step | undefined {
  if (part === 'when' && typeof node.when === 'object') return { action: 'lookFor', condition: node.when };
  if (part === 'until' && node.action === 'repeat' && typeof node.until === 'object')
    return { action: 'lookFor', condition: node.until };
  if (node.action !== 'forEachPage') return undefined;
  if (part === 'more') return { action: 'lookFor', condition: { enabled: node.next } };
  return part === 'next' ? { action: 'click', target: node.next } : undefined;
}
