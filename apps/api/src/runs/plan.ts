import type { Budget, RunRecord, SubmitEgress, SubmitRun, WorkflowDefinition } from '@pilothouse/contract';
import { checkDefinition } from '@pilothouse/core';
import { invalid } from '../http/check.ts';

/** Name of the workflow that bare steps make up. */
const BARE = 'steps';

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
export function planOf({ definition, steps, surface }: SubmitRun): Plan | undefined {
  if (definition) {
    checkKept(definition, '/definition');
    return { workflow: null, definition: keptDefinition(definition) };
  }
  if (!steps) return undefined;
  const bare: WorkflowDefinition = { name: BARE, surface: surface ?? 'browser', inputs: {}, steps };
  checkKept(bare);
  return { workflow: null, definition: bare };
}
