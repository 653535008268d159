import type { FieldError, WorkflowNode, WorkflowDefinition } from '@pilothouse/contract';
import { inputValueSchema } from '../inputs.ts';
import { typeMismatch, nodeValueType } from '../shape.ts';
import type { FoundTemplate } from '../template.ts';

/** What of a workflow is checked. */
export type LintedWorkflow = Pick<
  WorkflowDefinition,
  'inputs' | 'steps' | 'output' | 'outputSchema' | 'workflows' | 'browser'
>;

/** What a place in a workflow knows. */
export interface NamesInScope {
  readonly definition: LintedWorkflow;
  /** Steps and blocks with an id, with their turn in the file. */
  readonly ids: ReadonlyMap<string, { readonly node: WorkflowNode; readonly turn: number }>;
  /** Turn of the place. */
  readonly turn: number;
  /** Ids of the blocks around it: their value is not there yet. */
  readonly around: readonly string[];
  readonly vars: ReadonlySet<string>;
}

/** What an expression names is what templates name, but for the epoch of a run. */
export function nameErrors(known: NamesInScope, path: readonly string[], pointer: string): FieldError[] {
  const [root, name, third] = path;
  const source = path.join('.');
  if (root === undefined || name === undefined) return [];
  // Another attempt has another epoch, and would come to other steps.
  if (root === 'run' && name !== 'id') {
    return [{ pointer, detail: `${source}: of a run expressions know run.id` }];
  }
  if (root === 'steps' && third !== undefined && third !== 'value') {
    return [{ pointer, detail: `${source}: the value of a step is steps.${name}.value` }];
  }
  return templateErrors(known, { path: [root, name, ...path.slice(2)], pointer, source }, false);
}

/** @param secretAllowed whether it may name a secret */
export function templateErrors(
  known: NamesInScope,
  { path, pointer, source }: FoundTemplate,
  secretAllowed: boolean,
): FieldError[] {
  const { definition, ids, turn, around, vars } = known;
  const { inputs } = definition;
  const problem = (detail: string) => [{ pointer, detail: `${source}: ${detail}` }];
  const [root, name] = path;
  if (root === 'run') return [];
  if (root === 'vars')
    return vars.has(name) ? [] : problem(`there is no variable "${name}" here; there are: ${joinNames([...vars])}`);
  if (root === 'inputs') {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) return problem(`there is no input "${name}"; there are: ${joinNames(Object.keys(inputs))}`);
    if (input.secret && !secretAllowed)
      return problem(
        'a secret may stand only in the text of a `type` step, in the `goal` of an agent, in headers and body of an `http` step, and in `browser.auth`',
      );
    const why = typeMismatch(inputValueSchema(input), path.slice(2));
    return why ? problem(why) : [];
  }
  const readers = [...ids].flatMap(([id, one]) =>
    one.turn < turn && nodeValueType(one.node, definition.workflows) ? [id] : [],
  );
  const one = ids.get(name);
  if (!one) return problem(`there is no step "${name}"; before this there are, with a value: ${joinNames(readers)}`);
  if (one.turn === turn || around.includes(name)) return problem('a step cannot use its own value');
  if (one.turn > turn) return problem(`step "${name}" comes later`);
  const shape = nodeValueType(one.node, definition.workflows);
  if (!shape) return problem(`step "${name}" is a ${one.node.action} step; only steps that read have a value`);
  const why = typeMismatch(shape, path.slice(3));
  return why ? problem(why) : [];
}

/** Names in a sentence. */
export const joinNames = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
