import type { Subworkflow, GoalStep, Json, Locator, WorkflowNode, Step } from '@pilothouse/contract';
import { describeLocator } from '../../workflow/step-titles.ts';
import { escapePointer } from '../../workflow/templates.ts';
import type { Templatizer } from './templatizer.ts';
import type { RecordedGoal } from './recorded-goal.ts';
import { compileTarget } from './compile-steps.ts';

/** Steps that read the answer of a goal without a model. */
export interface CompiledAnswer {
  readonly steps: readonly WorkflowNode[];
  /** Workflow that a `call` among the steps names; null: none. */
  readonly workflow: Subworkflow | null;
  readonly notes: readonly string[];
}

/** Part of an answer that was the whole text of one element. */
interface Part {
  readonly at: string;
  readonly value: Json;
  readonly chain: readonly Locator[];
}

/**
 * Compiles the answer to steps that read its parts. All parts must be readable, because a partial answer is wrong.
 * @param name name of the workflow that combines several parts
 */
export function compileAnswer(
  goal: GoalStep,
  value: Json,
  { reads }: RecordedGoal,
  lift: Templatizer,
  name: string,
): CompiledAnswer {
  const id = goal.id ?? '';
  if (value === null) return { steps: [], workflow: null, notes: [`${id}: the goal gave no answer`] };
  const parts = partsOf(value).map((part) => ({
    ...part,
    chain: compileTarget(readsOf(reads.get(part.at) ?? [], lift), lift),
  }));
  const missing = parts.filter(({ chain }) => chain.length === 0);
  if (missing.length > 0 || parts.length === 0) {
    const which = missing.map(({ at }) => at || 'the answer').join(', ');
    const why = `was not the whole text of one element on the page that can be found again`;
    return { steps: [], workflow: null, notes: [`${id}: the answer is not carried over; ${which || 'it'} ${why}`] };
  }
  const notes = parts.map(
    ({ at, chain: [first] }) =>
      `${id}: ${at || 'the answer'} is read where it stood in this run, from ${first ? describeLocator(first) : ''}; see that this is where the next one stands`,
  );
  const [whole] = parts;
  if (whole?.at === '') return { steps: [extract(id, whole)], workflow: null, notes };
  const steps = parts.map((part, index) => extract(`part${index + 1}`, part));
  const output = withParts(value, new Map(parts.map(({ at }, index) => [at, `{{steps.part${index + 1}.value}}`])));
  return { steps: [{ id, action: 'call', workflow: name }], workflow: { inputs: {}, steps, output }, notes };
}

const extract = (id: string, { value, chain }: Part): Step => ({
  id,
  action: 'extract',
  target: [...chain],
  value: typeof value === 'number' ? { type: 'number' } : {},
});

/** Excludes locators that find a row by text of this run, unless an input is part of the text. */
const readsOf = (locators: readonly Locator[], lift: Templatizer): readonly Locator[] =>
  locators.filter(
    ({ within }) => (within?.has ?? within?.hasText) === undefined || lift.changes(JSON.stringify(within)),
  );

/** Parts of an answer that are not objects. */
function partsOf(value: Json, at = ''): { at: string; value: Json }[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ at, value }];
  return Object.entries(value).flatMap(([key, child]) => partsOf(child, `${at}/${escapePointer(key)}`));
}

function withParts(value: Json, templates: ReadonlyMap<string, string>, at = ''): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return templates.get(at) ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withParts(child, templates, `${at}/${escapePointer(key)}`)]),
  );
}
