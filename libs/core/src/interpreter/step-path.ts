import { type RunAnswer, type Step, type WorkflowNode, isBlock, reservedStepIds } from '@pilothouse/contract';
import type { Program, StepPosition } from './interpreter-state.ts';

/** How a node of a list stands in a path: by its id, or else by its position, from 1. */
export const pathSegment = (id: string | undefined, index: number) => id ?? String(index + 1);

/** Whether a part of a path, without its round, means a node of a list: its id, or its position also where it has an id. */
export const isSegmentOf = (name: string | undefined, id: string | undefined, index: number): boolean =>
  name !== undefined && (id === name || pathSegment(undefined, index) === name);

/** Where a step of a list without control flow stands, if it has no id: what an event or a checkpoint means that does not say it. */
export const linearStepPath = (number: number) => String(number + 1);

/** Where a step stands, for an event: left out where its number says it. */
export const stepRef = ({ number, path }: Pick<StepPosition, 'number' | 'path'>): { step: number; path?: string } => ({
  step: number,
  ...(path !== linearStepPath(number) && { path }),
});

/** Whether a step is the one that is named, as `placed` names it: on another path, or in another round, its number is that of another. */
export const isAtPosition = (
  { step, path = linearStepPath(step) }: ReturnType<typeof stepRef>,
  place: Pick<StepPosition, 'number' | 'path'>,
): boolean => step === place.number && path === place.path;

/** Whether a person answered about this step. A version before did not keep where it stands: then its number has to do. */
export const answersStep = (
  { step, path }: Pick<RunAnswer, 'step' | 'path'>,
  place: Pick<StepPosition, 'number' | 'path'>,
): boolean => step === place.number && (path === undefined || path === place.path);

/** Whether a list of steps is carried out from the first to the last: then the number of a step is its index. */
export const isLinear = (steps: readonly WorkflowNode[]): boolean =>
  steps.every((node) => !isBlock(node) && node.if === undefined);

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
    const name = /^(\w+)(?:\[[1-9][0-9]*\])?$/.exec(part)?.[1];
    if (name === undefined) return undefined;
    if (reservedStepIds.has(name)) return node && lookedFor(node, name);
    if (node)
      nodes =
        node.action === 'call' ? program.workflows?.[node.workflow]?.steps : 'steps' in node ? node.steps : undefined;
    node = nodes?.find(({ id }, index) => isSegmentOf(name, id, index));
  }
  return node && !isBlock(node) ? node : undefined;
}

/** The step that a block makes for its own decision. */
function lookedFor(node: WorkflowNode, part: string): Step | undefined {
  if (part === 'if' && typeof node.if === 'object') return { action: 'checkCondition', condition: node.if };
  if (part === 'until' && node.action === 'loop' && typeof node.until === 'object')
    return { action: 'checkCondition', condition: node.until };
  if (node.action !== 'paginate') return undefined;
  if (part === 'more') return { action: 'checkCondition', condition: { enabled: node.next } };
  return part === 'next' ? { action: 'click', target: node.next } : undefined;
}
