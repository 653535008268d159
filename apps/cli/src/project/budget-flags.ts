import type { ProjectView } from '@pilothouse/contract/api/project.routes';
import {
  projectBudgetsSchema,
  type Budget,
  type MonthBudget,
  type ProjectBudgets,
} from '@pilothouse/contract/run/budget.schema';
import { InvalidArgumentError } from 'commander';

/** The kinds of budgets of a project. */
export type BudgetKind = keyof ProjectBudgets;

/** A budget of the command line; null: remove it. */
export interface ParsedBudget {
  readonly value: Budget | MonthBudget | null;
}

const units = { default: 'steps, seconds, tokens, usd', max: 'steps, seconds, tokens, usd', month: 'tokens, usd' };

/** Reads a budget as `tokens=50000,usd=0.25`; `none` removes it. @throws InvalidArgumentError */
export const budgetOf =
  (kind: BudgetKind) =>
  (text: string): ParsedBudget => {
    if (text === 'none') return { value: null };
    const entries = text.split(',').map((part) => part.split('='));
    const budget = projectBudgetsSchema.safeParse({
      [kind]: Object.fromEntries(entries.map(([unit = '', amount]) => [unit.trim(), Number(amount ?? NaN)])),
    });
    const value = budget.data?.[kind];
    if (value) return { value };
    throw new InvalidArgumentError(`Use "tokens=50000,usd=0.25" (${units[kind]}), or "none".`);
  };

/** The budgets of a project with the changes; null: none. */
export function withBudgets(
  now: ProjectBudgets | null,
  changes: Partial<Record<BudgetKind, ParsedBudget>>,
): ProjectBudgets | null {
  const values = Object.entries(changes).map(([kind, { value }]) => [kind, value] as const);
  const limits = Object.entries({ ...now, ...Object.fromEntries(values) }).filter(([, value]) => value !== null);
  return limits.length === 0 ? null : Object.fromEntries(limits);
}

const amount = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 4 });

const budgetText = (budget: Budget | undefined): string =>
  Object.entries(budget ?? {})
    .map(([unit, value]) => (unit === 'usd' ? `$${amount(value)}` : `${amount(value)} ${unit}`))
    .join(', ') || 'no limit';

/** Rows about the budgets of a project and its usage of the month. */
export function budgetRows({ budgets, usage }: Pick<ProjectView, 'budgets' | 'usage'>): [string, string][] {
  const { default: defaults, max: maximum, month } = budgets ?? {};
  const limitText = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`);
  return [
    ['default per run', budgetText({ ...maximum, ...defaults })],
    ['maximum per run', budgetText(maximum)],
    [
      `in ${usage.month}`,
      [
        `${amount(usage.tokens)}${limitText(month?.tokens === undefined ? undefined : amount(month.tokens))} tokens`,
        `$${amount(usage.usd)}${limitText(month?.usd === undefined ? undefined : `$${amount(month.usd)}`)}`,
      ].join(', '),
    ],
  ];
}
