import type { SubmitEgress } from '@pilothouse/contract/project/egress.schema';
import type { Budget } from '@pilothouse/contract/run/budget.schema';
import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import { type SubmitRun, MAX_GOAL_VIEW_CHARS } from '@pilothouse/contract/run/run.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '@pilothouse/core/workflow/lint/lint-workflow';
import { validationError } from '../http/request-validation.ts';

/** Name of the workflow made of bare steps. */
const BARE = 'steps';

/** Name of the workflow made of a goal, and of its step. */
const GOAL = 'goal';

/** Output of the workflow made of a goal. */
const GOAL_OUTPUT = `{{steps.${GOAL}.value}}`;

/** Returns whether the name of a definition is generated. */
export const hasGeneratedName = ({ name }: WorkflowDefinition): boolean => name === BARE || name === GOAL;

/** Plan of a run before inputs and fleet are known. */
export interface RunPlan {
  readonly workflow: { readonly id: string; readonly version: number } | null;
  readonly definition: WorkflowDefinition;
}

export interface RunOptions {
  readonly priority: number;
  readonly budget: Budget;
  readonly capture: RunCapture;
  readonly egress?: SubmitEgress | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly model?: string | null | undefined;
  readonly expiresIn?: number;
  readonly parentRunId?: string | undefined;
}

/** A definition without editor fields. */
export function stripEditorFields({ $schema, ...definition }: WorkflowDefinition): WorkflowDefinition {
  return definition;
}

/**
 * Rejects a definition that cannot be executed.
 * @param path pointer to the definition in the body
 */
export function validateDefinition(definition: WorkflowDefinition, path = ''): void {
  const fields = lintDefinition(definition).map(({ pointer, detail }) => ({ pointer: `${path}${pointer}`, detail }));
  if (fields.length > 0) throw validationError('workflow', fields);
}

/** The plan of a request with its own definition, steps or goal; undefined when it names a workflow. */
export function planFromRequest({
  definition,
  steps,
  surface,
  goal,
  url,
  apps,
  outputSchema,
}: SubmitRun): RunPlan | undefined {
  if (definition) {
    validateDefinition(definition, '/definition');
    return { workflow: null, definition: stripEditorFields(definition) };
  }
  if (goal !== undefined) {
    const goalWorkflow = goalDefinition({ goal, surface, url, apps, outputSchema });
    checkGoal(goalWorkflow);
    return { workflow: null, definition: goalWorkflow };
  }
  if (!steps) return undefined;
  const adHocWorkflow: WorkflowDefinition = { name: BARE, surface: surface ?? 'browser', inputs: {}, steps };
  validateDefinition(adHocWorkflow);
  return { workflow: null, definition: adHocWorkflow };
}

/** Turns a goal into a workflow. Opens the page or the first application, and pursues the goal; the answer is the output. */
function goalDefinition({
  goal,
  surface = 'browser',
  url,
  apps,
  outputSchema,
}: Pick<SubmitRun, 'surface' | 'url' | 'apps' | 'outputSchema'> & { readonly goal: string }): WorkflowDefinition {
  const [app] = apps ?? [];
  return {
    name: GOAL,
    surface,
    inputs: {},
    steps: [
      ...(url === undefined ? [] : [{ action: 'navigate' as const, url }]),
      ...(app === undefined || app.endsWith('*') ? [] : [{ action: 'openApp' as const, app }]),
      { id: GOAL, action: 'goal', goal, ...(apps && { apps }), ...(outputSchema && { outputSchema }) },
    ],
    output: GOAL_OUTPUT,
    ...(outputSchema && { outputSchema }),
  };
}

/** First characters of the goal; null if the run was not submitted as a goal. */
export function goalPreviewOf({ workflow, definition: { name, steps, output } }: RunPlan): string | null {
  const step = steps.at(-1);
  if (workflow !== null || name !== GOAL || output !== GOAL_OUTPUT) return null;
  if (step?.action !== 'goal' || step.id !== GOAL) return null;
  return step.goal.slice(0, MAX_GOAL_VIEW_CHARS).toWellFormed();
}

/** Validates like `validateDefinition`, with the pointer of the goal. */
function checkGoal(definition: WorkflowDefinition): void {
  const fields = lintDefinition(definition).map(({ pointer, detail }) => ({
    pointer: pointer.endsWith('/url') ? '/url' : pointer.startsWith('/outputSchema') ? pointer : '/goal',
    detail,
  }));
  if (fields.length > 0) throw validationError('goal', fields);
}
