import type { Json, Node, RunEvent } from '@pilothouse/contract';
import { evaluate } from '../../workflow/expression.ts';
import { templatesIn } from '../../workflow/template.ts';
import type { Known } from './lift.ts';
import { valuesIn, type Within } from './within.ts';

export type ForEach = Extract<Node, { action: 'forEach' }>;

/** What the rounds of a loop were about; null: that is not known any more. */
export function itemsIn({ in: source }: ForEach, within: Within, events: readonly RunEvent[]): readonly Json[] | null {
  if (typeof source !== 'string') return templatesIn(JSON.stringify(source)).length === 0 ? source : null;
  const { inputs } = within;
  try {
    const value = evaluate(source, { inputs, vars: {}, steps: valuesIn(within, events), run: { id: '' } });
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What one round is about, and the templates for that: the item, or what it is made of. */
export function knownOfItem({ as: name = 'item' }: ForEach, item: Json): Known[] {
  const parts = (value: Json, path: string): Known[] =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? [{ template: `{{${path}}}`, value }]
      : Object.entries(value).flatMap(([key, part]) =>
          /^[A-Za-z_]\w*$/.test(key) ? parts(part, `${path}.${key}`) : [],
        );
  return parts(item, `vars.${name}`);
}
