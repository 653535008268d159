import type { Json, WorkflowNode, RunEvent } from '@pilothouse/contract';
import { evaluate } from '../../workflow/expression.ts';
import { findTemplates } from '../../workflow/template.ts';
import type { KnownValue } from './lift.ts';
import { recordedStepValues, type CompileScope } from './within.ts';

export type ForEach = Extract<WorkflowNode, { action: 'forEach' }>;

/** What the rounds of a loop were about; null: that is not known any more. */
export function loopItems(
  { in: source }: ForEach,
  within: CompileScope,
  events: readonly RunEvent[],
): readonly Json[] | null {
  if (typeof source !== 'string') return findTemplates(JSON.stringify(source)).length === 0 ? source : null;
  const { inputs } = within;
  try {
    const value = evaluate(source, { inputs, vars: {}, steps: recordedStepValues(within, events), run: { id: '' } });
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What one round is about, and the templates for that: the item, or what it is made of. */
export function itemValues({ as: name = 'item' }: ForEach, item: Json): KnownValue[] {
  const parts = (value: Json, path: string): KnownValue[] =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? [{ template: `{{${path}}}`, value }]
      : Object.entries(value).flatMap(([key, part]) =>
          /^[A-Za-z_]\w*$/.test(key) ? parts(part, `${path}.${key}`) : [],
        );
  return parts(item, `vars.${name}`);
}
