import type {
  Budget,
  RunCapture,
  SubmitEgress,
  SubmitRun,
  ValueSchema,
  WorkflowDefinition,
} from '@pilothouse/contract';
import { lintDefinition } from '@pilothouse/core';
import { validationError } from '../http/request-validation.ts';

/** Name of the workflow that bare steps make up. */
const BARE = 'steps';

/** Name of the workflow that a goal makes up, and of its step. */
const GOAL = 'goal';

/** Whether nobody gave a definition its name. */
export const hasGeneratedName = ({ name }: WorkflowDefinition): boolean => name === BARE || name === GOAL;

/** What is to be run, before inputs and fleet are known. */
export interface RunPlan {
  readonly workflow: { readonly id: string; readonly version: number } | null;
  readonly definition: WorkflowDefinition;
}

/** How it is to be run. */
export interface RunOptions {
  readonly priority: number;
  readonly budget: Budget;
  readonly capture: RunCapture;
  readonly egress?: SubmitEgress | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly expiresIn?: number;
}

/** A definition without what is for editors only. */
export function stripEditorFields({ $schema, ...definition }: WorkflowDefinition): WorkflowDefinition {
  return definition;
}

/**
 * Refuses a definition that could not be carried out.
 * @param at pointer to the definition in the body
 */
export function validateDefinition(definition: WorkflowDefinition, at = ''): void {
  const fields = lintDefinition(definition).map(({ pointer, detail }) => ({ pointer: `${at}${pointer}`, detail }));
  if (fields.length > 0) throw validationError('workflow', fields);
}

/** The plan of a request that brings its own definition or steps; undefined when it names a workflow. */
export function planFromRequest({
  definition,
  steps,
  surface,
  goal,
  url,
  outputSchema,
}: SubmitRun): RunPlan | undefined {
  if (definition) {
    validateDefinition(definition, '/definition');
    return { workflow: null, definition: stripEditorFields(definition) };
  }
  if (goal !== undefined) {
    const whole = goalDefinition(goal, url, outputSchema);
    checkGoal(whole);
    return { workflow: null, definition: whole };
  }
  if (!steps) return undefined;
  const bare: WorkflowDefinition = { name: BARE, surface: surface ?? 'browser', inputs: {}, steps };
  validateDefinition(bare);
  return { workflow: null, definition: bare };
}

/** A goal as a workflow: open the page, reach the goal; the answer is the output. */
function goalDefinition(
  goal: string,
  url: string | undefined,
  outputSchema: ValueSchema | undefined,
): WorkflowDefinition {
  return {
    name: GOAL,
    surface: 'browser',
    inputs: {},
    steps: [
      ...(url === undefined ? [] : [{ action: 'navigate' as const, url }]),
      { id: GOAL, action: 'goal', goal, ...(outputSchema && { outputSchema }) },
    ],
    output: `{{steps.${GOAL}.value}}`,
    ...(outputSchema && { outputSchema }),
  };
}

/** The same as `validateDefinition`; what is wrong is wrong in the goal. */
function checkGoal(definition: WorkflowDefinition): void {
  const fields = lintDefinition(definition).map(({ pointer, detail }) => ({
    pointer: pointer.endsWith('/url') ? '/url' : pointer.startsWith('/outputSchema') ? pointer : '/goal',
    detail,
  }));
  if (fields.length > 0) throw validationError('goal', fields);
}
