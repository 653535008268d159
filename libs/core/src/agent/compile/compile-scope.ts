import type { Subworkflow, Json, WorkflowNode, RunEvent, WorkflowDefinition } from '@pilothouse/contract';
import { secretPlaceholder } from '../../secret/secret-placeholders.ts';
import { soleSecretName, findTemplates } from '../../workflow/templates.ts';
import type { KnownValue } from './templatizer.ts';

export type Call = Extract<WorkflowNode, { action: 'call' }>;

/** What goals see where they stand: in the workflow of a run, or in one that it calls. */
export interface CompileScope {
  /** What the places of its steps begin with: '' in the workflow of the run. */
  readonly prefix: string;
  /** Its inputs that are known, by name. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** What was given to it, and to the round of a loop, and the templates for that. */
  readonly known: readonly KnownValue[];
  /** Names of secret inputs whose templates stand in what was typed as they stand here. */
  readonly secrets: readonly string[];
  /** Names by which the run has secrets: by these they stand in what was typed. */
  readonly held: readonly string[];
  /** All of it as JSON, where answers of its goals may be named. */
  readonly said: string;
}

interface Given {
  readonly definition: WorkflowDefinition;
  /** Values of its inputs, but for secret ones. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of its secret inputs. */
  readonly secrets: readonly string[];
}

/** @param typed names of inputs for secrets that a person typed */
export const runScope = ({ definition, inputs, secrets }: Given, typed: readonly string[]): CompileScope => ({
  prefix: '',
  ...givenAs(Object.entries(inputs).filter(([name]) => !secrets.includes(name))),
  secrets: [...secrets, ...typed],
  held: [...secrets, ...typed],
  said: JSON.stringify(definition),
});

/**
 * The inside of a call: its inputs, and nothing of its caller.
 * @param at where the call stands
 * @returns also the names of inputs whose values nobody knows
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

/** Values by the names of inputs. */
const givenAs = (given: readonly (readonly [string, Json])[]): Pick<CompileScope, 'inputs' | 'known'> => ({
  inputs: Object.fromEntries(given),
  known: given.map(([name, value]) => ({ template: `{{inputs.${name}}}`, value })),
});

/** In what was typed a secret stands by the name that the run has it by, however its author wrote the template. null: it was not given. */
function secretOf(given: Json, { known, secrets }: CompileScope): Json {
  const name = soleSecretName(given);
  if (name === undefined) return null;
  const placeholder = secretPlaceholder(name);
  const value = known.find(({ template }) => template === placeholder)?.value;
  return value ?? (secrets.includes(name) ? placeholder : null);
}

/** What a value with templates came to in a run; undefined: that is not known. */
function valueOf(given: Json, within: CompileScope, events: readonly RunEvent[]): Json | undefined {
  if (typeof given !== 'string') return given;
  const [first, ...others] = findTemplates(given);
  if (!first) return given;
  if (others.length > 0 || first.source !== given) return undefined;
  if (first.path[0] === 'steps') return recordedValueAt(first.path, within, events);
  return within.known.find(({ template }) => template === given)?.value;
}

/** What steps read in a run, by their ids: what they read last. */
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

/** What a step read in a run. @param path `steps`, its id, `value`, and the way into that */
export function recordedValueAt(
  [, id = '', , ...way]: readonly string[],
  within: CompileScope,
  events: readonly RunEvent[],
): Json {
  let value: Json = recordedStepValues(within, events)[id]?.value ?? null;
  for (const key of way) value = (value as Record<string, Json> | null)?.[key] ?? null;
  return value;
}
