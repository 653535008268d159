import {
  projectBudgetsSchema,
  type Budget,
  type MonthBudget,
  type ProjectBudgets,
  type ProjectView,
} from '@pilothouse/contract';
import { InvalidArgumentError } from 'commander';

/** Of what a project gives budgets. */
export type BudgetKind = keyof ProjectBudgets;

/** A budget that was given; null: none any more. */
export interface GivenBudget {
  readonly value: Budget | MonthBudget | null;
}

const units = { default: 'steps, seconds, tokens, usd', most: 'steps, seconds, tokens, usd', month: 'tokens, usd' };

/** Reads a budget as `tokens=50000,usd=0.25`; `none` takes it back. @throws InvalidArgumentError */
export const budgetOf =
  (kind: BudgetKind) =>
  (text: string): GivenBudget => {
    if (text === 'none') return { value: null };
    const parts = text.split(',').map((part) => part.split('='));
    const budget = projectBudgetsSchema.safeParse({
      [kind]: Object.fromEntries(parts.map(([unit = '', amount]) => [unit.trim(), Number(amount ?? NaN)])),
    });
    const value = budget.data?.[kind];
    if (value) return { value };
    throw new InvalidArgumentError(`Write "tokens=50000,usd=0.25" of ${units[kind]}, or "none".`);
  };

/** The budgets of a project with those that are given; null: none at all. */
export function withBudgets(
  now: ProjectBudgets | null,
  given: Partial<Record<BudgetKind, GivenBudget>>,
): ProjectBudgets | null {
  const values = Object.entries(given).map(([kind, { value }]) => [kind, value] as const);
  const all = Object.entries({ ...now, ...Object.fromEntries(values) }).filter(([, value]) => value !== null);
  return all.length === 0 ? null : Object.fromEntries(all);
}

const amount = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 4 });

const inWords = (budget: Budget | undefined): string =>
  Object.entries(budget ?? {})
    .map(([unit, value]) => (unit === 'usd' ? `$${amount(value)}` : `${amount(value)} ${unit}`))
    .join(', ') || 'no limit';

/** What a project gives, and what its month took, by name. */
export function budgetRows({ budgets, spent }: Pick<ProjectView, 'budgets' | 'spent'>): [string, string][] {
  const { default: usual, most, month } = budgets ?? {};
  const of = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`);
  return [
    ['a run takes', inWords({ ...most, ...usual })],
    ['at most', inWords(most)],
    [
      `in ${spent.month}`,
      [
        `${amount(spent.tokens)}${of(month?.tokens === undefined ? undefined : amount(month.tokens))} tokens`,
        `$${amount(spent.usd)}${of(month?.usd === undefined ? undefined : `$${amount(month.usd)}`)}`,
      ].join(', '),
    ],
  ];
}
