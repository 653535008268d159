import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import { isBlock, reservedStepIds } from '@pilothouse/contract/workflow/control-flow.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Program, StepPosition } from './interpreter-state.ts';

/** Path segment of a node: its id, or its position from 1. */
export const pathSegment = (id: string | undefined, index: number) => id ?? String(index + 1);

/** True if a path segment without iteration refers to a node: by its id, or by its position. */
export const isSegmentOf = (name: string | undefined, id: string | undefined, index: number): boolean =>
  name !== undefined && (id === name || pathSegment(undefined, index) === name);

/** Path of a step without id in a list without control flow: the default of events and checkpoints. */
export const linearStepPath = (number: number) => String(number + 1);

/** Step reference for an event. The path is omitted if the number implies it. */
export const stepRef = ({ number, path }: Pick<StepPosition, 'number' | 'path'>): { step: number; path?: string } => ({
  step: number,
  ...(path !== linearStepPath(number) && { path }),
});

/** True if a reference refers to this step. The same number on another path is another step. */
export const isAtPosition = (
  { step, path = linearStepPath(step) }: ReturnType<typeof stepRef>,
  position: Pick<StepPosition, 'number' | 'path'>,
): boolean => step === position.number && path === position.path;

/** True if an answer belongs to this step. */
export const answersStep = (
  { step, path }: Pick<RunAnswer, 'step' | 'path'>,
  position: Pick<StepPosition, 'number' | 'path'>,
): boolean => step === position.number && (path === undefined || path === position.path);

/** True if steps run in list order, so that step numbers are indexes. */
export const isLinear = (steps: readonly WorkflowNode[]): boolean =>
  steps.every((node) => !isBlock(node) && node.if === undefined);

/** Fields of blocks that are segments of a path. */
export const BRANCH_FIELDS: ReadonlySet<string> = new Set(['else', 'catch', 'finally']);

/** Finds the step at a path. */
export function findStep(program: Program, path: string): Step | undefined {
  let nodes: readonly WorkflowNode[] | undefined = program.steps;
  let node: WorkflowNode | undefined;
  for (const segment of path.split('/')) {
    if (BRANCH_FIELDS.has(segment)) {
      nodes = (node as Partial<Record<string, WorkflowNode[]>> | undefined)?.[segment];
      node = undefined;
      continue;
    }
    const name = /^(\w+)(?:\[[1-9][0-9]*\])?$/.exec(segment)?.[1];
    if (name === undefined) return undefined;
    if (reservedStepIds.has(name)) return node && decisionStep(node, name);
    if (node)
      nodes =
        node.action === 'call' ? program.workflows?.[node.workflow]?.steps : 'steps' in node ? node.steps : undefined;
    node = nodes?.find(({ id }, index) => isSegmentOf(name, id, index));
  }
  return node && !isBlock(node) ? node : undefined;
}

/** The step of a block's decision. */
function decisionStep(node: WorkflowNode, segment: string): Step | undefined {
  if (segment === 'if' && typeof node.if === 'object') return { action: 'checkCondition', condition: node.if };
  if (segment === 'until' && node.action === 'loop' && typeof node.until === 'object')
    return { action: 'checkCondition', condition: node.until };
  if (node.action !== 'paginate') return undefined;
  if (segment === 'more') return { action: 'checkCondition', condition: { enabled: node.next } };
  return segment === 'next' ? { action: 'click', target: node.next } : undefined;
}

/** Errors that already name their step. The innermost step wins. */
const locatedErrors = new WeakSet<PilothouseError>();

/** Calls a function, and adds the path of the step to its error. */
export function withStepPath<Value>(path: string, call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof PilothouseError) || locatedErrors.has(error)) throw error;
    const located = new PilothouseError(error.code, `Step ${path}: ${error.message}`, { cause: error });
    locatedErrors.add(located);
    throw located;
  }
}
