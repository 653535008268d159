import { isBlock, reservedStepIds } from '@pilothouse/contract/workflow/control-flow.schema';
import { pageBranchesOf } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Program, StepPosition } from './interpreter-state.ts';
import { BRANCH_FIELDS, isSegmentOf } from './step-path.ts';

/*
 * The number of a step for people: its position in the workflow, and iterations, from 1. `3[2]/1` is the first step in the second iteration
 * of step 3, also if these steps have ids. Lint, dry runs, runs, questions and names of screenshots show this number.
 */

/** The number of the step at a path. A path that the workflow does not have is returned unchanged. */
export function stepNumber(program: Program, path: string): string {
  let nodes: readonly WorkflowNode[] | undefined = program.steps;
  let node: WorkflowNode | undefined;
  const numbers: string[] = [];
  for (const segment of path.split('/')) {
    const [, name = '', iteration = ''] = /^(\w+)((?:\[\d+\])?)$/.exec(segment) ?? [];
    if (node && (BRANCH_FIELDS.has(name) || reservedStepIds.has(name))) {
      nodes = (node as unknown as Partial<Record<string, WorkflowNode[]>>)[name];
      node = undefined;
      numbers.push(segment);
      continue;
    }
    const branch =
      node && !isBlock(node) ? pageBranchesOf(node).find(([branchName]) => branchName === name) : undefined;
    if (branch) {
      nodes = branch[1];
      node = undefined;
      numbers.push(segment);
      continue;
    }
    if (node) nodes = innerNodes(program, node);
    const index: number = nodes?.findIndex(({ id }, position) => isSegmentOf(name, id, position)) ?? -1;
    if (index < 0) return path;
    node = nodes?.[index];
    numbers.push(`${index + 1}${iteration}`);
  }
  return numbers.join('/');
}

const innerNodes = (program: Program, node: WorkflowNode): readonly WorkflowNode[] | undefined =>
  node.action === 'call' ? program.workflows?.[node.workflow]?.steps : 'steps' in node ? node.steps : undefined;

/** The number of a step in messages. */
export const numberOf = ({ label, path }: Pick<StepPosition, 'label' | 'path'>): string => label ?? path;

/**
 * Splits a JSON pointer into a workflow: `/steps/2/steps/0/target` is the field `/target` of step `3/1`.
 * @returns null if it does not point into a step
 */
export function stepOfPointer(pointer: string): { readonly step: string; readonly field: string } | null {
  const [match = ''] = /^\/steps\/\d+(?:\/(?:steps|else|catch|finally|branches\/\w+)\/\d+)*/.exec(pointer) ?? [];
  if (match === '') return null;
  const step = match
    .replace(/^\/steps\//, '')
    .replaceAll(/\/(?:steps|branches)\//g, '/')
    .replaceAll(/(?<=^|\/)\d+(?=\/|$)/g, (index) => String(Number(index) + 1));
  return { step, field: pointer.slice(match.length) };
}

/** Digits of a position, and of an iteration, in names that sort in step order. */
const POSITION_DIGITS = 2;
const ITERATION_DIGITS = 3;

/** The number in names of files: `7/catch/1` becomes `07-catch-01`, so that the names sort in step order. */
export const sortableNumber = (number: string): string =>
  number
    .replaceAll(/(?<=^|\/)\d+/g, (position) => position.padStart(POSITION_DIGITS, '0'))
    .replaceAll(/(?<=\[)\d+/g, (iteration) => iteration.padStart(ITERATION_DIGITS, '0'))
    .replaceAll('/', '-');
