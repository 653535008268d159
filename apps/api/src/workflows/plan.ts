import type { Budget, RunRecord, SubmitEgress, SubmitRun, ValueSchema, WorkflowDefinition } from '@pilothouse/contract';
import { checkDefinition } from '@pilothouse/core';
import { invalid } from '../http/check.ts';

/** Name of the workflow that bare steps make up. */
const BARE = 'steps';

/** Name of the workflow that a goal makes up, and of its step. */
const GOAL = 'goal';

/** Whether nobody gave a definition its name. */
export const isUnnamed = ({ name }: WorkflowDefinition): boolean => name === BARE || name === GOAL;

/** What is to be run, before inputs and fleet are known. */
export interface Plan {
  readonly workflow: { readonly id: string; readonly version: number } | null;
  readonly definition: WorkflowDefinition;
}

/** How it is to be run. */
export interface RunTerms {
  readonly priority: number;
  readonly budget: Budget;
  readonly record: RunRecord;
  readonly egress?: SubmitEgress | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly expiresIn?: number;
}

/** A definition without what is for editors only. */
export function keptDefinition({ $schema, ...definition }: WorkflowDefinition): WorkflowDefinition {
  return definition;
}

/**
 * Refuses a definition that could not be carried out.
 * @param at pointer to the definition in the body
 */
export function checkKept(definition: WorkflowDefinition, at = ''): void {
  const fields = checkDefinition(definition).map(({ pointer, detail }) => ({ pointer: `${at}${pointer}`, detail }));
  if (fields.length > 0) throw invalid('workflow', fields);
}

/** The plan of a request that brings its own definition or steps; undefined when it names a workflow. */
export function planOf({ definition, steps, surface, goal, url, outputSchema }: SubmitRun): Plan | undefined {
  if (definition) {
    checkKept(definition, '/definition');
    return { workflow: null, definition: keptDefinition(definition) };
  }
  if (goal !== undefined) {
    const whole = goalDefinition(goal, url, outputSchema);
    checkGoal(whole);
    return { workflow: null, definition: whole };
  }
  if (!steps) return undefined;
  const bare: WorkflowDefinition = { name: BARE, surface: surface ?? 'browser', inputs: {}, steps };
  checkKept(bare);
  return { workflow: null, definition: bare };
}

/** A goal as a workflow: open the page, reach the goal; the answer is the output. */
function goalDefinition(goal: string, url: string | undefined, outputs: ValueSchema | undefined): WorkflowDefinition {
  return {
    name: GOAL,
    surface: 'browser',
    inputs: {},
    steps: [
      ...(url === undefined ? [] : [{ action: 'navigate' as const, url }]),
      { id: GOAL, action: 'goal', goal, ...(outputs && { outputs }) },
    ],
    output: `{{steps.${GOAL}.value}}`,
    ...(outputs && { outputSchema: outputs }),
  };
}

/** The same as `checkKept`; what is wrong is wrong in the goal. */
function checkGoal(definition: WorkflowDefinition): void {
  const fields = checkDefinition(definition).map(({ pointer, detail }) => ({
    pointer: pointer.endsWith('/url') ? '/url' : pointer.startsWith('/outputSchema') ? pointer : '/goal',
    detail,
  }));
  if (fields.length > 0) throw invalid('goal', fields);
}
