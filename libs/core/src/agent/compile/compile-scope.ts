import type { Subworkflow, Json, WorkflowNode, RunEvent, WorkflowDefinition } from '@pilothouse/contract';
import { secretPlaceholder } from '../../secret/secret-placeholders.ts';
import { soleSecretName, findTemplates } from '../../workflow/templates.ts';
import type { KnownValue } from './templatizer.ts';

export type Call = Extract<WorkflowNode, { action: 'call' }>;

/** Scope of a goal: the workflow of the run, or a workflow that it calls. */
export interface CompileScope {
  /** Beginning of the paths of its steps. Empty in the workflow of the run. */
  readonly prefix: string;
  /** Known inputs by name. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Values of the inputs and of the loop iteration, with their templates. */
  readonly known: readonly KnownValue[];
  /** Names of secret inputs whose templates appear unchanged in typed texts. */
  readonly secrets: readonly string[];
  /** Names of the secrets in the run. Typed texts contain these. */
  readonly held: readonly string[];
  /** The workflow as JSON, searched for references to answers of goals. */
  readonly said: string;
}

interface Given {
  readonly definition: WorkflowDefinition;
  /** Input values without secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of the secret inputs. */
  readonly secrets: readonly string[];
}

/** Scope of the workflow of a run. @param typed names of inputs for secrets that a person typed */
export const runScope = ({ definition, inputs, secrets }: Given, typed: readonly string[]): CompileScope => ({
  prefix: '',
  ...givenAs(Object.entries(inputs).filter(([name]) => !secrets.includes(name))),
  secrets: [...secrets, ...typed],
  held: [...secrets, ...typed],
  said: JSON.stringify(definition),
});

/**
 * Scope of a called workflow: its inputs, and nothing of its caller.
 * @param at path of the call
 * @returns also the names of inputs with unknown values
 */
export function subworkflowScope(
  { node: { inputs = {} }, at, called }: { node: Call; at: string; called: Subworkflow },
  outer: CompileScope,
  events: readonly RunEvent[],
): { within: CompileScope; unknown: readonly string[] } {
  const given: [string, Json][] = [];
  const unknown: string[] = [];
  for (const [name, input] of Object.entries(called.inputs)) {
    const wanted = inputs[name];
    const value = input.secret
      ? secretOf(wanted ?? null, outer)
      : valueOf(wanted ?? input.default ?? null, outer, events);
    if (value === undefined) unknown.push(name);
    else if (value !== null) given.push([name, value]);
  }
  const said = JSON.stringify([called.steps, called.output]);
  return { within: { prefix: `${at}/`, ...givenAs(given), secrets: [], held: outer.held, said }, unknown };
}

/** Input values by name. */
const givenAs = (given: readonly (readonly [string, Json])[]): Pick<CompileScope, 'inputs' | 'known'> => ({
  inputs: Object.fromEntries(given),
  known: given.map(([name, value]) => ({ template: `{{inputs.${name}}}`, value })),
});

/** Template of a secret in typed texts, with the name that the run uses; null: not a secret of the scope. */
function secretOf(given: Json, { known, secrets }: CompileScope): Json {
  const name = soleSecretName(given);
  if (name === undefined) return null;
  const placeholder = secretPlaceholder(name);
  const value = known.find(({ template }) => template === placeholder)?.value;
  return value ?? (secrets.includes(name) ? placeholder : null);
}

/** Rendered value of a template in a run; undefined: unknown. */
function valueOf(given: Json, within: CompileScope, events: readonly RunEvent[]): Json | undefined {
  if (typeof given !== 'string') return given;
  const [first, ...others] = findTemplates(given);
  if (!first) return given;
  if (others.length > 0 || first.source !== given) return undefined;
  if (first.path[0] === 'steps') return recordedValueAt(first.path, within, events);
  return within.known.find(({ template }) => template === given)?.value;
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
export function recordedValueAt(
  [, id = '', , ...way]: readonly string[],
  within: CompileScope,
  events: readonly RunEvent[],
): Json {
  let value: Json = recordedStepValues(within, events)[id]?.value ?? null;
  for (const key of way) value = (value as Record<string, Json> | null)?.[key] ?? null;
  return value;
}
