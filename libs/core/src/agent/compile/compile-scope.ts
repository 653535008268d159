import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { secretPlaceholder } from '../../workflow/secret-placeholders.ts';
import { soleSecretName, findTemplates } from '../../workflow/templates.ts';
import type { KnownValue } from './templatizer.ts';

export type Call = Extract<WorkflowNode, { action: 'call' }>;

/** Scope of a goal: the workflow of the run, or a workflow that it calls. */
export interface CompileScope {
  /** Beginning of its steps' paths. Empty in the workflow of the run. */
  readonly prefix: string;
  /** Known inputs by name. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Values of the inputs and of the loop iteration, with their templates. */
  readonly knownValues: readonly KnownValue[];
  /** Names of secret inputs whose templates appear unchanged in typed texts. */
  readonly secrets: readonly string[];
  /** Names of the secrets in the run. Typed texts contain these. */
  readonly runSecrets: readonly string[];
  /** The workflow as JSON, searched for references to answers of goals. */
  readonly definitionJson: string;
}

/** A completed run. */
export interface RecordedRun {
  readonly definition: WorkflowDefinition;
  /** Input values without secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of the secret inputs. */
  readonly secrets: readonly string[];
  /** All events in order, in the newest schema version. */
  readonly events: readonly RunEvent[];
}

/** Scope of a run's workflow. @param typedSecretInputs names of inputs for secrets that a person typed */
export const runScope = (
  { definition, inputs, secrets }: Omit<RecordedRun, 'events'>,
  typedSecretInputs: readonly string[],
): CompileScope => ({
  prefix: '',
  ...inputScope(Object.entries(inputs).filter(([name]) => !secrets.includes(name))),
  secrets: [...secrets, ...typedSecretInputs],
  runSecrets: [...secrets, ...typedSecretInputs],
  definitionJson: JSON.stringify(definition),
});

/**
 * Scope of a called workflow: its inputs, and nothing of its caller.
 * @param path path of the call
 * @returns also the names of inputs with unknown values
 */
export function subworkflowScope(
  { node: { inputs = {} }, path, subworkflow }: { node: Call; path: string; subworkflow: Subworkflow },
  outerScope: CompileScope,
  events: readonly RunEvent[],
): { scope: CompileScope; unknown: readonly string[] } {
  const inputValues: [string, Json][] = [];
  const unknown: string[] = [];
  for (const [name, input] of Object.entries(subworkflow.inputs)) {
    const argument = inputs[name];
    const value = input.secret
      ? secretTemplateOf(argument ?? null, outerScope)
      : valueOf(argument ?? input.default ?? null, outerScope, events);
    if (value === undefined) unknown.push(name);
    else if (value !== null) inputValues.push([name, value]);
  }
  const definitionJson = JSON.stringify([subworkflow.steps, subworkflow.output]);
  return {
    scope: {
      prefix: `${path}/`,
      ...inputScope(inputValues),
      secrets: [],
      runSecrets: outerScope.runSecrets,
      definitionJson,
    },
    unknown,
  };
}

/** Input values by name. */
const inputScope = (entries: readonly (readonly [string, Json])[]): Pick<CompileScope, 'inputs' | 'knownValues'> => ({
  inputs: Object.fromEntries(entries),
  knownValues: entries.map(([name, value]) => ({ template: `{{inputs.${name}}}`, value })),
});

/** Template of a secret in typed texts, with the name in the run; null: not a secret of the scope. */
function secretTemplateOf(argument: Json, { knownValues, secrets }: CompileScope): Json {
  const name = soleSecretName(argument);
  if (name === undefined) return null;
  const placeholder = secretPlaceholder(name);
  const value = knownValues.find(({ template }) => template === placeholder)?.value;
  return value ?? (secrets.includes(name) ? placeholder : null);
}

/** Rendered value of a template in a run; undefined: unknown. */
function valueOf(argument: Json, scope: CompileScope, events: readonly RunEvent[]): Json | undefined {
  if (typeof argument !== 'string') return argument;
  const [firstTemplate, ...moreTemplates] = findTemplates(argument);
  if (!firstTemplate) return argument;
  if (moreTemplates.length > 0 || firstTemplate.source !== argument) return undefined;
  if (firstTemplate.path[0] === 'steps') return recordedValueAt(firstTemplate.path, scope, events);
  return scope.knownValues.find(({ template }) => template === argument)?.value;
}

/** Last values that steps read in a run, by step id. */
export const recordedStepValues = (
  { prefix }: CompileScope,
  events: readonly RunEvent[],
): Record<string, { value: Json }> =>
  Object.fromEntries(
    events.flatMap(({ type, data: { id, path, value } }) =>
      type === 'step.completed' && typeof id === 'string' && (typeof path === 'string' ? path : '').startsWith(prefix)
        ? [[id, { value: value ?? null }]]
        : [],
    ),
  );

/** Value that a step read in a run. @param path `steps`, its id, `value`, and the path inside the value */
function recordedValueAt(
  [, id = '', , ...valuePath]: readonly string[],
  scope: CompileScope,
  events: readonly RunEvent[],
): Json {
  let value: Json = recordedStepValues(scope, events)[id]?.value ?? null;
  for (const key of valuePath) value = (value as Record<string, Json> | null)?.[key] ?? null;
  return value;
}

/**
 * Known values at a goal: inputs, and the values of earlier steps that the goal uses.
 * @returns also the templates of variables with unknown values
 */
export function knownValuesAt(
  goal: GoalStep | null,
  scope: CompileScope,
  events: readonly RunEvent[],
): { knownValues: readonly KnownValue[]; unknown: readonly string[] } {
  const knownValues = [...scope.knownValues];
  const unknown: string[] = [];
  for (const { path, source } of goal ? findTemplates(goal.goal) : []) {
    if (path[0] === 'steps') knownValues.push({ template: source, value: recordedValueAt(path, scope, events) });
    if (path[0] === 'vars' && !knownValues.some(({ template }) => template === source)) unknown.push(source);
  }
  return { knownValues, unknown };
}
