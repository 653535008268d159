import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { InterpreterDraft } from './interpreter-draft.ts';
import type { InterpreterState, ListFrame, Program, ProgramInputs, StepOutcome } from './interpreter-state.ts';
import { initialScope } from './variable-scope.ts';

/*
 * The interpreter: program, state and outcome determine the next step or the end. It does no I/O and reads no clock or
 * random source. A worker that resumes a run replays the durable outcomes and reaches the same state.
 */

/** Initial state of a run. */
export function startProgram(
  program: Program,
  run: InterpreterState['run'],
  { inputs, secrets }: ProgramInputs,
): InterpreterState {
  const list: ListFrame = { kind: 'list', nodes: program.steps, index: 0, prefix: '', isConditionMet: false };
  const secretNames = Object.fromEntries(secrets.map((name) => [name, name]));
  const scope = initialScope(program.steps, { inputs, secrets: secretNames, runSecretNames: secrets });
  return new InterpreterDraft({ program, run, frames: [list], scope, number: 0, awaited: 'step' }).settle();
}

/** Initial state of a branch. It starts with the values and variables of the run, and changes its own copy. */
export function startBranch(
  { program, run, scope: outerScope }: InterpreterState,
  nodes: readonly WorkflowNode[],
): InterpreterState {
  const list: ListFrame = { kind: 'list', nodes, index: 0, prefix: '', isConditionMet: false };
  const { steps } = initialScope(nodes, outerScope);
  const scope = { ...outerScope, steps: { ...outerScope.steps, ...steps } };
  // Numbers of steps are positions in the branch.
  const branchProgram = { ...program, steps: nodes };
  return new InterpreterDraft({
    program: branchProgram,
    run,
    frames: [list],
    scope,
    number: 0,
    awaited: 'step',
  }).settle();
}

/**
 * State after the outcome of the current step.
 * @throws Error if no step is in progress
 */
export function advance(state: InterpreterState, outcome: StepOutcome): InterpreterState {
  const draft = new InterpreterDraft(state);
  draft.applyOutcome(outcome);
  return draft.settle();
}
