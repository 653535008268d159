import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { GoalStep, Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow } from '@pilothouse/contract/workflow/workflow.schema';
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
  /** JSON pointer. */
  readonly pointer: string;
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
  { answerSources }: RecordedGoal,
  templatizer: Templatizer,
  name: string,
): CompiledAnswer {
  const id = goal.id ?? '';
  if (value === null) return { steps: [], workflow: null, notes: [`${id}: the goal gave no answer`] };
  const answerParts = flattenAnswer(value).map((part) => ({
    ...part,
    chain: compileTarget(stableSources(answerSources.get(part.pointer) ?? [], templatizer), templatizer),
  }));
  const partsWithoutLocator = answerParts.filter(({ chain }) => chain.length === 0);
  if (partsWithoutLocator.length > 0 || answerParts.length === 0) {
    const missingParts = partsWithoutLocator.map(({ pointer }) => pointer || 'the answer').join(', ');
    const reason = 'was not the whole text of one element with a stable locator';
    return {
      steps: [],
      workflow: null,
      notes: [`${id}: the answer is not compiled; ${missingParts || 'it'} ${reason}`],
    };
  }
  const notes = answerParts.map(
    ({ pointer, chain: [first] }) =>
      `${id}: ${pointer || 'the answer'} is read from its element in this run, ${first ? describeLocator(first) : ''}; check that other answers are there, too`,
  );
  const [wholeAnswer] = answerParts;
  if (wholeAnswer?.pointer === '') return { steps: [extract(id, wholeAnswer)], workflow: null, notes };
  const steps = answerParts.map((part, index) => extract(`part${index + 1}`, part));
  const output = withTemplates(
    value,
    new Map(answerParts.map(({ pointer }, index) => [pointer, `{{steps.part${index + 1}.value}}`])),
  );
  return { steps: [{ id, action: 'call', workflow: name }], workflow: { inputs: {}, steps, output }, notes };
}

const extract = (id: string, { value, chain }: Part): Step => ({
  id,
  action: 'extract',
  target: [...chain],
  value: typeof value === 'number' ? { type: 'number' } : {},
});

/** Excludes locators that find a row by text of this run, unless an input is part of the text. */
const stableSources = (locators: readonly Locator[], templatizer: Templatizer): readonly Locator[] =>
  locators.filter(
    ({ within }) => (within?.has ?? within?.hasText) === undefined || templatizer.containsInput(JSON.stringify(within)),
  );

/** Parts of an answer that are not objects. */
function flattenAnswer(value: Json, pointer = ''): { pointer: string; value: Json }[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ pointer, value }];
  return Object.entries(value).flatMap(([key, child]) => flattenAnswer(child, `${pointer}/${escapePointer(key)}`));
}

function withTemplates(value: Json, templates: ReadonlyMap<string, string>, pointer = ''): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return templates.get(pointer) ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      withTemplates(child, templates, `${pointer}/${escapePointer(key)}`),
    ]),
  );
}
