import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow } from '@pilothouse/contract/workflow/workflow.schema';
import { resolveInputs } from '../workflow/workflow-io.ts';
import { renderTemplates, type TemplateScope } from '../workflow/secret-placeholders.ts';
import { soleSecretName } from '../workflow/templates.ts';
import type { VariableScope, InterpreterState } from './interpreter-state.ts';

/** Initial scope of a workflow. Optional inputs are null. */
export function initialScope(
  steps: readonly WorkflowNode[],
  initial: Pick<VariableScope, 'inputs' | 'secrets' | 'runSecretNames'>,
): VariableScope {
  const optionalNodes = [...walkNodes(steps)].filter(({ node, path }) => path.length > 1 || node.if !== undefined);
  return { ...initial, vars: {}, steps: nullValues(optionalNodes.map(({ node }) => node)) };
}

/** Values of an iteration are removed before the next one. */
export function clearStepValues(scope: VariableScope, steps: readonly WorkflowNode[]): VariableScope {
  const clearedValues = nullValues([...walkNodes(steps)].map(({ node }) => node));
  return Object.keys(clearedValues).length === 0 ? scope : { ...scope, steps: { ...scope.steps, ...clearedValues } };
}

const nullValues = (nodes: readonly WorkflowNode[]) =>
  Object.fromEntries(nodes.flatMap(({ id }) => (id === undefined ? [] : [[id, { value: null }]])));

export const withValue = (scope: VariableScope, id: string, value: Json): VariableScope => ({
  ...scope,
  steps: { ...scope.steps, [id]: { value } },
});

export const withVar = (scope: VariableScope, name: string, value: Json): VariableScope => ({
  ...scope,
  vars: { ...scope.vars, [name]: value },
});

export function withoutVars(scope: VariableScope, names: readonly string[]): VariableScope {
  if (!names.some((name) => Object.hasOwn(scope.vars, name))) return scope;
  return { ...scope, vars: Object.fromEntries(Object.entries(scope.vars).filter(([name]) => !names.includes(name))) };
}

/** Variables of expressions. The epoch is missing, so that every attempt decides the same. */
export const toExpressionScope = ({ inputs, vars, steps }: VariableScope, { id }: InterpreterState['run']) => ({
  inputs,
  vars,
  steps,
  run: { id },
});

/** Converts a scope to the scope of templates. */
export const toTemplateScope = (
  { inputs, secrets, vars, steps, runSecretNames: held }: VariableScope,
  run: InterpreterState['run'],
): TemplateScope => ({
  inputs,
  secrets: new Map(Object.entries(secrets)),
  runSecretNames: new Set(held),
  vars,
  steps,
  run,
});

/**
 * Scope of a called workflow: only its inputs. Secrets are passed as whole templates and stay names.
 * @throws PilothouseError TEMPLATE_INVALID; VALIDATION_FAILED for invalid inputs
 */
export function subworkflowVariables(
  workflow: Subworkflow,
  inputTemplates: Readonly<Record<string, Json>>,
  caller: VariableScope,
  templates: TemplateScope,
): VariableScope {
  const secrets: Record<string, string> = {};
  const plainInputs: Record<string, Json> = {};
  for (const [name, value] of Object.entries(inputTemplates)) {
    const secret = workflow.inputs[name]?.secret ? soleSecretName(value) : undefined;
    if (secret === undefined) plainInputs[name] = renderTemplates(value, templates);
    else if (caller.secrets[secret] !== undefined) secrets[name] = caller.secrets[secret];
  }
  const plainDeclarations = Object.fromEntries(Object.entries(workflow.inputs).filter(([, { secret }]) => !secret));
  const missingSecret = Object.entries(workflow.inputs).find(
    ([name, { secret, optional }]) => secret && !optional && secrets[name] === undefined,
  );
  if (missingSecret) {
    throw new PilothouseError(
      'VALIDATION_FAILED',
      `The secret input ${missingSecret[0]} of the called workflow has no value`,
    );
  }
  const { inputs } = resolveInputs({ inputs: plainDeclarations }, plainInputs);
  return initialScope(workflow.steps, { inputs, secrets, runSecretNames: caller.runSecretNames });
}
