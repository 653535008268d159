import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Subworkflow, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '../../workflow/lint/lint-workflow.ts';

/** A workflow that repeats a run without a model. */
export interface CompiledRun {
  readonly definition: WorkflowDefinition;
  /** Sentences for people: parts that were left out, and parts to review. */
  readonly notes: readonly string[];
}

/**
 * Validates a compiled definition. Removes outputs that need a missing answer.
 * @throws PilothouseError CONFLICT if the definition is invalid
 */
export function validateCompiled(definition: WorkflowDefinition, notes: readonly string[]): CompiledRun {
  const problems = lintDefinition(definition);
  if (problems.length > 0 && problems.every(({ pointer }) => /^\/output(\/|$)/.test(pointer))) {
    const { output, outputSchema, ...rest } = definition;
    const note = 'The workflow has no output: the output of the run needs an answer that is not compiled';
    return validateCompiled(rest, [...notes, note]);
  }
  const [first] = problems;
  if (first) throw notCompilable(`the workflow would be invalid at ${first.pointer}: ${first.detail}`, notes);
  return { definition, notes };
}

export const notCompilable = (reason: string, notes: readonly string[] = []): PilothouseError =>
  new PilothouseError('CONFLICT', `The run cannot be compiled: ${[reason, ...notes].join('; ')}`);

/** Name for a compiled workflow. A workflow of the project gets a new one. */
export function uniqueWorkflowName(name: string, workflows: Readonly<Record<string, Subworkflow>>): string {
  if (!name.includes('@')) return name;
  const [, baseName = 'called'] = /^(?:.*:)?([a-z0-9-]+)/.exec(name) ?? [];
  let compiledName = `${baseName.slice(0, 50)}-compiled`;
  for (let n = 2; compiledName in workflows; n += 1) compiledName = `${baseName.slice(0, 50)}-compiled-${n}`;
  return compiledName;
}
