import type { Budget, ProjectBudgets } from '@pilothouse/contract/run/budget.schema';
import { numberOf } from '../shared/form-problem.ts';

/** Units of budgets. */
export const units = [
  { key: 'steps', name: 'Steps', isInteger: true },
  { key: 'seconds', name: 'Seconds', isInteger: false },
  { key: 'tokens', name: 'Tokens', isInteger: true },
  { key: 'usd', name: 'Cost (USD)', isInteger: false },
] as const satisfies readonly { key: keyof Budget; name: string; isInteger: boolean }[];

/** Kinds of budgets, with their units. */
export const budgets: readonly {
  kind: keyof ProjectBudgets;
  name: string;
  description: string;
  units: readonly (keyof Budget)[];
}[] = [
  {
    kind: 'default',
    name: 'Default per run',
    description: 'Applies to runs that set no budget',
    units: ['steps', 'seconds', 'tokens', 'usd'],
  },
  {
    kind: 'max',
    name: 'Maximum per run',
    description: 'Upper limit for the budget a run can request',
    units: ['steps', 'seconds', 'tokens', 'usd'],
  },
  { kind: 'month', name: 'Project, per month', description: 'Calendar month in UTC', units: ['tokens', 'usd'] },
];

/** Name of a form field. */
export const budgetField = (kind: string, unit: string): string => `budgets.${kind}.${unit}`;

/** Budgets of the form; null: none. @param text returns the text of a field @throws FormProblem */
export function budgetsOf(text: (field: string) => string): ProjectBudgets | null {
  const kinds = budgets.flatMap(({ kind, units: kindUnits }) => {
    const amounts = units.flatMap(({ key, isInteger }) => {
      const field = budgetField(kind, key);
      const amount = kindUnits.includes(key) ? numberOf(field, text(field), { isInteger }) : null;
      return amount === null ? [] : [[key, amount] as const];
    });
    return amounts.length === 0 ? [] : [[kind, Object.fromEntries(amounts)] as const];
  });
  return kinds.length === 0 ? null : Object.fromEntries(kinds);
}

/** Form field of an API error pointer such as `/budgets/month/usd`. */
export function budgetFieldOf(pointer: string): string | null {
  const [, part, kind, unit] = pointer.split('/');
  return part === 'budgets' && kind !== undefined && unit !== undefined ? budgetField(kind, unit) : null;
}
